from __future__ import annotations

import io

from hypothesis import given, strategies as st

from weknora_site.supervisor.output import LineBuffer, Log


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_only(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain, terminal = io.StringIO(), Terminal()
    Log(plain).line("web", "text")
    Log(terminal).line("web", "text")
    assert "\x1b" not in plain.getvalue()
    assert "\x1b[36mweb" in terminal.getvalue()


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    Log(terminal).line("web", "text")
    assert "\x1b" not in terminal.getvalue()


def test_own_words_keep_their_lines():
    stream = io.StringIO()
    Log(stream).say("one\ntwo")
    assert [line[9:] for line in stream.getvalue().splitlines()] == [
        "weknora | one",
        "weknora | two",
    ]


@given(
    st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r\n")), max_size=8),
    st.data(),
)
def test_lines_do_not_depend_on_how_the_pipe_cuts_them(lines, data):
    stream = "".join(f"{line}\n" for line in lines).encode()
    buffer, found, rest = LineBuffer(), [], stream
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += buffer.feed(rest[:size])
        rest = rest[size:]
    assert found + buffer.finish() == lines


def test_line_without_an_end_is_cut_and_the_rest_comes():
    buffer = LineBuffer()
    lines = buffer.feed(b"x" * 20_000) + buffer.finish()
    assert "".join(lines) == "x" * 20_000
