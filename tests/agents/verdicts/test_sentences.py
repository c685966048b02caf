"""Sentences of an answer with their places: Markdown, tables, markers, abbreviations, CJK."""

from __future__ import annotations

import pytest

from agents.verdicts.sentences import plain, split_answer

ANSWER = """# Leave

The U.S. office grants 14.5 weeks. [1] Dr. Smith (born 1970) said so [2]. **All is paid.** [1]
It goes on
and on.

- one item is **big** [3]
- two items. Another. [4][5]

| A | B |
|---|---|
| 1 | two [1] |

```
code. Here.
```
It says:
2016年2月7日，他去了北京。[1]然后回来了；是吗？
"""


def test_sentences_keep_their_place() -> None:
    found = split_answer(ANSWER)
    assert [each.index for each in found] == list(range(len(found)))
    assert [(each.text, each.markers) for each in found] == [
        ("The U.S. office grants 14.5 weeks.", (1,)),
        ("Dr. Smith (born 1970) said so.", (2,)),
        ("All is paid.", (1,)),
        ("It goes on and on.", (1,)),
        ("one item is big", (3,)),
        ("two items.", (4, 5)),
        ("Another.", (4, 5)),
        ("1 · two", (1,)),
        ("It says: 2016年2月7日,他去了北京。".replace(",", "，"), (1,)),
        ("然后回来了；", (1,)),
    ]
    for each in found:
        assert plain(ANSWER[each.start : each.end]) == each.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "```\ncode [1].\n```",
        "# Only a heading",
        "Is it so?",
        "The following holds:",
        "| A |\n|--|\n",
        "[1]",
    ],
)
def test_what_claims_nothing_is_no_sentence(text: str) -> None:
    assert split_answer(text) == []


def test_a_fence_that_is_not_closed_hides_the_rest() -> None:
    assert [each.text for each in split_answer("One.\n```\nTwo. Three.")] == ["One."]


def test_a_marker_stays_with_the_sentence_before_it() -> None:
    assert [each.markers for each in split_answer("One.[1] Two [2]. Three.")] == [(1,), (2,), (2,)]


def test_endless_text_is_cut_at_once() -> None:
    assert len(split_answer("A word. " * 3_000)) == 3_000
    assert len(split_answer("[" * 30_000 + "x")) == 1
    assert len(split_answer("*" * 30_000 + "x")) <= 1
