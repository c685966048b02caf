"""The chat page's scripts against a socket in the test's hand."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import expect

from core.markdown import render_markdown
from tests.browser import samples
from tests.browser.samples import RUN_ID

pytestmark = pytest.mark.browser
ANSWER = f"#run-{RUN_ID}-answer"


def text_frame(seq, words, **more):
    return {"run": RUN_ID, "seq": seq, "ops": [{"op": "md", "to": ANSWER, "text": words}], **more}


def end_frame(seq, markdown):
    html = render_markdown(markdown, run_id=RUN_ID)
    ops = [{"op": "md.end", "to": ANSWER, "html": html}, {"op": "run", "state": "idle"}]
    return {"run": RUN_ID, "seq": seq, "ops": ops}


@pytest.fixture
def live_page(open_page, socket):
    """A conversation whose answer is in the making and shown up to event 2."""
    page = open_page(samples.chat_page(samples.user_turn(), samples.open_turn(seq=2)))
    socket.wait_for("resume")
    return page


def test_page_asks_for_what_comes_after_what_it_shows(live_page, socket):
    assert socket.received == [{"type": "resume", "run_id": RUN_ID, "after": 2}]


def test_frames_that_were_seen_are_dropped(live_page, socket):
    socket.send(text_frame(2, "old "), text_frame(3, "one "), text_frame(3, "one "))
    socket.send(text_frame(4, "two"))
    expect(live_page.locator(ANSWER)).to_have_text("one two")


def test_frames_after_a_gap_wait_until_it_is_filled(live_page, socket):
    socket.send(text_frame(5, "three"))
    asked = socket.wait_for("resume", 2)
    assert asked[1] == {"type": "resume", "run_id": RUN_ID, "after": 2}
    expect(live_page.locator(ANSWER)).to_have_text("")
    socket.send(text_frame(3, "one "), text_frame(4, "two "), text_frame(5, "three"))
    expect(live_page.locator(ANSWER)).to_have_text("one two three")


def test_a_gap_that_nobody_fills_does_not_stop_the_answer(live_page, socket):
    socket.send(text_frame(5, "three "), text_frame(6, "four"))
    expect(live_page.locator(ANSWER)).to_have_text("three four")


def test_a_joined_frame_fills_the_numbers_it_spans(live_page, socket):
    socket.send(text_frame(9, "all of it ", **{"from": 3}), text_frame(10, "and more"))
    expect(live_page.locator(ANSWER)).to_have_text("all of it and more")
    assert len(socket.received) == 1


def test_page_resumes_open_runs_after_a_lost_connection(live_page, socket):
    socket.send(text_frame(3, "one "))
    expect(live_page.locator(ANSWER)).to_have_text("one")
    socket.connections[-1].close(code=1011)
    assert socket.wait_for("resume", 2)[1]["after"] == 3
    socket.send(text_frame(3, "one "), text_frame(4, "two"))
    expect(live_page.locator(ANSWER)).to_have_text("one two")


def test_page_does_not_resume_runs_that_ended(live_page, socket):
    socket.send(end_frame(3, "Done."))
    expect(live_page.locator(ANSWER)).to_have_text("Done.")
    socket.connections[-1].close(code=1011)
    socket.wait_for_connection(2)
    live_page.get_by_label("Message").fill("Next?")
    live_page.keyboard.press("Enter")
    socket.wait_for("message.send")
    assert len(socket.wait_for("resume")) == 1


def test_refused_connection_is_not_tried_again(live_page, socket):
    socket.connections[-1].close(code=4404)
    expect(live_page.get_by_role("link", name="Load the page again")).to_be_visible()
    live_page.wait_for_timeout(1000)
    assert len(socket.connections) == 1


def test_answer_that_was_rendered_half_goes_on(open_page, socket):
    turn = samples.open_turn(seq=2, answer_markdown="Half a **sen")
    page = open_page(samples.chat_page(turn))
    expect(page.locator(ANSWER)).to_have_text("Half a sen")
    socket.wait_for("resume")
    socket.send(text_frame(3, "tence** & <b>more"))
    expect(page.locator(ANSWER)).to_have_text("Half a sentence & <b>more")
    expect(page.locator(f"{ANSWER} strong")).to_have_text("sentence")


def test_streamed_answer_ends_as_the_server_renders_it(live_page, socket):
    pieces = [samples.ANSWER[start : start + 7] for start in range(0, len(samples.ANSWER), 7)]
    socket.send(*(text_frame(seq, piece) for seq, piece in enumerate(pieces, 3)))
    expect(live_page.locator(ANSWER)).to_contain_text("weeks = 22")
    assert live_page.locator(ANSWER).get_attribute("aria-busy") == "true"
    socket.send(end_frame(3 + len(pieces), samples.ANSWER))
    expect(live_page.locator(ANSWER)).not_to_have_attribute("aria-busy", "true")
    plain = live_page.locator(ANSWER).evaluate("answer => answer.innerText")
    assert "每年五天" in plain
    assert "**" not in plain
    assert live_page.locator(f"{ANSWER} .caret, {ANSWER} .md-tail").count() == 0
    assert live_page.locator(f"{ANSWER} th[scope=col].to-end").inner_text() == "Shanghai"


def test_withdrawn_preamble_makes_room_for_the_answer(live_page, socket):
    socket.send(text_frame(3, "Let me look."))
    expect(live_page.locator(ANSWER)).to_have_text("Let me look.")
    socket.send({"run": RUN_ID, "seq": 4, "ops": [{"op": "md.end", "to": ANSWER, "html": ""}]})
    socket.send(text_frame(5, "Fourteen weeks."))
    expect(live_page.locator(ANSWER)).to_have_text("Fourteen weeks.")


def test_question_stays_in_the_box_until_the_server_has_it(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    box = page.get_by_label("Message")
    box.fill("How long?")
    page.keyboard.press("Enter")
    (message,) = socket.wait_for("message.send")
    assert message | {"client_id": ""} == {
        "type": "message.send",
        "text": "How long?",
        "agent_id": "a2",
        "base_ids": [],
        "mentions": [],
        "client_id": "",
    }
    expect(box).to_have_value("How long?")
    socket.send({"op": "ack", "client_id": message["client_id"]})
    expect(box).to_have_value("")


def test_question_that_was_not_acknowledged_is_sent_again(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    page.get_by_label("Message").fill("How long?")
    page.keyboard.press("Enter")
    socket.wait_for("message.send")
    socket.connections[-1].close(code=1011)
    first, second = socket.wait_for("message.send", 2)
    assert first == second


def test_refused_question_is_kept_and_explained(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    box = page.get_by_label("Message")
    box.fill("Too long")
    page.keyboard.press("Enter")
    (message,) = socket.wait_for("message.send")
    socket.send({"op": "error", "client_id": message["client_id"], "text": "Shorten it."})
    expect(page.get_by_role("alert").filter(has_text="Shorten it.")).to_be_visible()
    expect(box).to_have_value("Too long")
    expect(box).to_be_editable()


def test_chosen_bases_go_with_the_question_and_show_on_the_button(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    page.get_by_role("button", name="All knowledge bases").click()
    page.get_by_label("HR handbook").check()
    page.get_by_label("法务合同库").check()
    expect(page.locator("#base-label")).to_have_text("HR handbook +1")
    page.get_by_label("Message").fill("How long?")
    page.keyboard.press("Enter")
    assert socket.wait_for("message.send")[0]["base_ids"] == ["b1", "b2"]


def test_shift_enter_makes_a_line_and_sends_nothing(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    box = page.get_by_label("Message")
    box.fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(box).to_have_value("one\ntwo")
    assert socket.received == []


def test_send_becomes_stop_while_an_answer_is_made(live_page, socket):
    live_page.get_by_role("button", name="Stop").click()
    assert socket.wait_for("run.stop") == [{"type": "run.stop", "run_id": RUN_ID}]
    socket.send({"run": RUN_ID, "seq": 3, "op": "run", "state": "idle"})
    expect(live_page.get_by_role("button", name="Send")).to_be_visible()
    expect(live_page.get_by_role("button", name="Stop")).to_be_hidden()


def test_turn_that_comes_twice_is_shown_once(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    html = render_to_string("chat/_turn_user.html", {"turn": samples.user_turn("Once?")})
    append = {"op": "append", "to": "#turns", "html": html}
    socket.send(append, append)
    expect(page.locator(".turn-user")).to_have_count(1)


def test_opened_tool_card_stays_open_when_it_is_done(open_page, socket):
    steps = [{"kind": "tools", "id": "s2", "state": "live", "calls": [samples.tool_call("live")]}]
    page = open_page(samples.chat_page(samples.open_turn(steps=steps)))
    socket.wait_for("resume")
    page.locator(f"#call-{RUN_ID}-c1 summary").click()
    html = render_to_string("chat/_tool_card.html", {"call": samples.tool_call()})
    replace = {"op": "replace", "to": f"#call-{RUN_ID}-c1", "html": html}
    socket.send({"run": RUN_ID, "seq": 1, **replace})
    expect(page.locator(f"#call-{RUN_ID}-c1.is-ok")).to_have_attribute("open", "")


def test_citation_opens_its_passage_and_escape_returns(open_page, socket):
    page = open_page(samples.chat_page(samples.user_turn(), samples.agent_turn()))
    chip = page.get_by_role("link", name="Source 1").first
    chip.focus()
    page.keyboard.press("Enter")
    popover = page.get_by_role("dialog", name="Source")
    expect(popover).to_contain_text("生育假六十天")
    page.keyboard.press("Escape")
    expect(popover).to_be_hidden()
    expect(chip).to_be_focused()


def test_hidden_source_says_so(open_page, socket):
    page = open_page(samples.chat_page(samples.agent_turn()))
    page.get_by_role("link", name="Source 2").first.click()
    expect(page.get_by_role("dialog", name="Source")).to_contain_text("You may not see this source")


def test_sidebar_list_is_fetched_again_when_a_frame_says_so(open_page, socket):
    page = open_page(samples.chat_page())
    socket.wait_for_connection()
    with page.expect_request("**/conversations/"):
        socket.send({"op": "event", "name": "conversations"})


def test_times_are_the_readers(open_page, socket, page):
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Shanghai"})
    open_page(samples.chat_page(samples.agent_turn()))
    expect(page.locator(".who-line time")).to_have_text("06:42 PM")
