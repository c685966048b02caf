"""The answerer in four languages: search, quote with citations, or say that nothing fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

import httpx
import pytest

from providers.contracts.passages import (
    NO_PASSAGES,
    OTHERWISE_ADVICE,
    REPEAT_ADVICE,
    UNSURE_NOTE,
)
from tests.providers.local_server import LocalServer

TOOLS = ["knowledge_search", "grep_chunks"]
BOEING = (
    "On November 7, 2018, the agency issued Emergency AD 2018-23-51. "
    "This AD applies to all Boeing 737-8 and 737-9 airplanes. "
    "The cost is estimated at 255 dollars per airplane."
)
CONTRACT_ZH = (
    "第十二条 乙方应在收到甲方书面通知后十个工作日内更换不合格的设备。"
    "第十三条 更换设备所需的运输费用由乙方承担。第十四条 本合同自双方签字之日起生效。"
)
TOWER_JA = (
    "電波塔は1958年12月23日に完成した。"
    "塔の高さは333メートルで、当時は世界一であった。現在は観光名所となっている。"
)
CONTRACT_KO = (
    "계약 기간은 서명일로부터 2년으로 한다. "
    "위약금은 총 계약 금액의 10퍼센트로 한다. 분쟁은 서울중앙지방법원에서 해결한다."
)
CODES = "| Code | Error |\n|---|---|\n| 20 | PDFError |\n| 21 | UnknownReaderError |\n| 22 | XML |"
CATS = "Cats sleep for most of the day. They purr when they are content and hunt at dusk."


@pytest.fixture(scope="module")
def client(local_server: LocalServer) -> Iterator[httpx.Client]:
    with local_server.client() as client:
        yield client


def passages(*texts: str) -> str:
    return "\n\n".join(
        f'<passage id="c{n}" document="d{n}" name="file {n}.txt">\n{escape(text)}\n</passage>'
        for n, text in enumerate(texts, 1)
    )


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def called(name: str = "knowledge_search") -> dict[str, Any]:
    function = {"name": name, "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "x", "type": "function", "function": function}],
    }


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "x", "content": text}


def complete(
    client: httpx.Client, *messages: dict[str, Any], tools: list[str] = TOOLS
) -> dict[str, Any]:
    offered = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in tools]
    body = {"model": "extractive", "messages": messages, "tools": offered}
    answer = client.post("chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    message: dict[str, Any] = answer.json()["choices"][0]["message"]
    return message


def call_of(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    (call,) = message["tool_calls"]
    return call["function"]["name"], json.loads(call["function"]["arguments"])


def answered(client: httpx.Client, question: str, *texts: str) -> str:
    """Ask with passages that a search brought."""
    found = result(passages(*texts))
    message = complete(client, user(question), called(), found)
    assert "tool_calls" not in message
    return str(message["content"])


def test_a_question_is_searched_first(client: httpx.Client) -> None:
    message = complete(client, {"role": "system", "content": "Be good."}, user("谁签合同？"))
    assert call_of(message) == ("knowledge_search", {"queries": ["谁签合同？"]})
    assert message["content"] is None


@pytest.mark.parametrize(
    "follow_up", ["When was it issued?", "And the cost?", "它什么时候生效？", "それはいつ？"]
)
def test_a_follow_up_brings_the_question_before_it_along(
    client: httpx.Client, follow_up: str
) -> None:
    first = "Which airplanes does the emergency directive cover?"
    message = complete(client, user(first), said("All."), user(follow_up))
    assert call_of(message)[1] == {"queries": [follow_up, first]}


def test_a_question_that_stands_alone_is_searched_alone(client: httpx.Client) -> None:
    question = "Which error code means that the reader format is unknown?"
    message = complete(client, user("Who sells oil?"), said("OPEC."), user(question))
    assert call_of(message)[1] == {"queries": [question]}


@pytest.mark.parametrize(
    ("question", "right", "first"),
    [
        (
            "Which airplanes does the directive apply to?",
            BOEING,
            "This AD applies to all Boeing 737-8 and 737-9 airplanes. [c2]",
        ),
        (
            "更换设备的运输费用由谁承担？",
            CONTRACT_ZH,
            "第十三条 更换设备所需的运输费用由乙方承担。 [c2]",
        ),
        (
            "塔の高さは何メートルですか？",
            TOWER_JA,
            "塔の高さは333メートルで、当時は世界一であった。 [c2]",
        ),
        ("위약금은 얼마입니까?", CONTRACT_KO, "위약금은 총 계약 금액의 10퍼센트로 한다. [c2]"),
    ],
    ids=["en", "zh", "ja", "ko"],
)
def test_the_sentence_that_answers_comes_first_with_its_citation(
    client: httpx.Client, question: str, right: str, first: str
) -> None:
    other = {BOEING: CATS, CONTRACT_ZH: TOWER_JA, TOWER_JA: CONTRACT_ZH, CONTRACT_KO: CATS}[right]
    assert answered(client, question, other, right).split("\n\n")[0] == first


def test_every_sentence_is_a_passages_own_and_at_most_three_are_shown(
    client: httpx.Client,
) -> None:
    answer = answered(client, "What does the directive say about Boeing airplanes?", BOEING, CATS)
    parts = answer.split("\n\n")
    assert 1 <= len(parts) <= 3
    for part in parts:
        text, _, alias = part.rpartition(" ")
        assert text in {"[c1]": BOEING, "[c2]": CATS}[alias]


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("How do I renew a driving licence in Norway?", CATS, "Nothing in the documents"),
        ("挪威的首都人口是多少？", CONTRACT_ZH, "文档中没有"),
        ("ノルウェーの人口は何人ですか？", TOWER_JA, "見つかりませんでした"),
        ("노르웨이의 인구는 몇 명입니까?", CONTRACT_KO, "찾지 못했습니다"),
    ],
    ids=["en", "zh", "ja", "ko"],
)
def test_what_no_passage_answers_is_said_to_be_missing(
    client: httpx.Client, question: str, text: str, words: str
) -> None:
    answer = answered(client, question, text)
    assert words in answer
    assert "[c1]" not in answer


@pytest.mark.parametrize(
    ("question", "text", "quoted", "caution"),
    [
        ("指令适用于哪些飞机？", BOEING, "737-8", "请核对"),
        ("指令はどの飛行機に適用されますか？", BOEING, "737-8", "ご確認ください"),
        ("지침은 어떤 비행기에 적용됩니까?", BOEING, "737-8", "확인해 주세요"),
        ("How tall is the tower?", TOWER_JA, "333", "please check"),
    ],
    ids=["zh", "ja", "ko", "en"],
)
def test_what_is_found_in_another_language_carries_a_word_of_caution(
    client: httpx.Client, question: str, text: str, quoted: str, caution: str
) -> None:
    answer = answered(client, question, text)
    assert quoted in answer
    assert caution in answer.split("\n\n")[-1]


def test_a_table_row_is_shown_with_the_names_of_its_columns(client: httpx.Client) -> None:
    answer = answered(client, "Which error has code 21?", CATS, CODES)
    assert answer.split("\n\n")[0] == "Code: 21 · Error: UnknownReaderError [c2]"


def test_quick_answers_read_the_passages_behind_the_question(client: httpx.Client) -> None:
    context = f'<bases>\n<base name="Demo" documents="2"/>\n</bases>\n\n{passages(CATS, BOEING)}'
    question = user(f"Which airplanes does the directive apply to?\n\n{context}")
    answer = complete(client, question, tools=[])["content"]
    assert answer.startswith("This AD applies to all Boeing 737-8 and 737-9 airplanes. [c2]")


def test_results_before_the_question_are_read_too(client: httpx.Client) -> None:
    """The form of an answer that is written when the rounds are used up."""
    text = f"Write the answer.\n\n<results>\n<result>\n{passages(CATS, BOEING)}\n</result>\n"
    question = user(f"{text}</results>\n\nWhich airplanes does the directive apply to?")
    answer = complete(client, question, tools=[])["content"]
    assert answer.startswith("This AD applies to all Boeing 737-8")


def test_a_quick_answer_without_passages_says_so(client: httpx.Client) -> None:
    message = complete(client, user(f"Who wrote Faust?\n\n{NO_PASSAGES}"), tools=[])
    assert message["content"] == "Nothing in the documents answers this question."


def test_without_tools_and_passages_it_says_what_it_is(client: httpx.Client) -> None:
    message = complete(client, user("写一首诗"), tools=[])
    assert "只能引用" in message["content"]


def test_the_searchs_own_doubt_makes_it_stricter(client: httpx.Client) -> None:
    question = "When do dogs hunt?"
    sure = complete(client, user(question), called(), result(passages(CATS)))
    unsure = complete(
        client, user(question), called(), result(f"{UNSURE_NOTE}\n\n{passages(CATS)}")
    )
    assert "[c1]" in sure["content"]
    assert unsure["content"] == "Nothing in the documents answers this question."


def test_a_search_that_failed_for_a_moment_is_repeated_once(client: httpx.Client) -> None:
    question, failed = user("Who wrote Faust?"), result(f"The index is busy.\n[{REPEAT_ADVICE}]")
    again = complete(client, question, called(), failed)
    assert call_of(again)[0] == "knowledge_search"
    given_up = complete(client, question, called(), failed, called(), failed)
    assert given_up["content"] == "The search did not work, so I cannot answer: The index is busy."


def test_a_search_that_failed_for_good_is_reported_not_called_empty(client: httpx.Client) -> None:
    failed = result(f"None of these bases can be searched here.\n[{OTHERWISE_ADVICE}]")
    answer = complete(client, user("谁写了浮士德？"), called(), failed)["content"]
    assert answer == "检索没有成功，因此无法回答：None of these bases can be searched here."


def test_an_identifier_that_no_passage_has_is_looked_up(client: httpx.Client) -> None:
    question, found = user("What is the total of RO-2022.1108?"), result(passages(CATS))
    lookup = complete(client, question, called(), found)
    assert call_of(lookup) == ("grep_chunks", {"pattern": r"RO-2022\.1108"})
    row = "Repair order RO-2022.1108: the grand total is 5,738.20 EUR."
    hit = result(passages(CATS, row))
    answer = complete(client, question, called(), found, called("grep_chunks"), hit)["content"]
    assert answer.split("\n\n")[0] == f"{row} [c2]"


def test_a_nudge_is_not_taken_for_a_question(client: httpx.Client) -> None:
    messages = [
        user("Which airplanes does the directive apply to?"),
        called(),
        result(passages(BOEING)),
        user("There are no tools to call any more. Write your complete answer now."),
    ]
    assert "737-8" in complete(client, *messages, tools=[])["content"]


def test_aliases_in_a_passage_do_not_become_citations(client: httpx.Client) -> None:
    text = "The warranty lasts five years [c7] and covers all parts."
    answer = answered(client, "How long does the warranty last?", text)
    assert answer == "The warranty lasts five years (c7) and covers all parts. [c1]"


def test_escaped_characters_come_back(client: httpx.Client) -> None:
    text = "The limit is reached when a < b && c > 4 & holds for the pump."
    answer = answered(client, "When is the limit of the pump reached?", text)
    assert answer == f"{text} [c1]"


def test_an_endless_question_is_answered_in_time(client: httpx.Client) -> None:
    question = "Which airplanes does the directive apply to? " + "really " * 15_000
    assert "737-8" in answered(client, question, BOEING)


def test_odd_conversations_never_fail(client: httpx.Client) -> None:
    for messages in (
        [user("")],
        [said("Hi")],
        [{"role": "system", "content": "x"}],
        [user("a"), result("b")],
        [user("?!"), called(), result(passages("", "   ", "| | |\n|---|---|"))],
        [user([{"type": "image_url"}])],  # type: ignore[arg-type]  # wrong on purpose
        [user("x"), called(), result('<passage id="c1">unclosed')],
    ):
        assert complete(client, *messages)["role"] == "assistant"
