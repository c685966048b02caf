"""Marks in the HTML of an answer: behind the sentence, never inside of a tag, never breaking it."""

from __future__ import annotations

import re

import pytest

from agents.verdicts.marking import Mark, mark_sentences
from agents.verdicts.sentences import split_answer
from core.markdown import render_markdown

ANSWERS = [
    'The U.S. & EU won 3.5 points. [1] Dr. Smith said **so** [2]. **All good.** He said "no" & left.',
    "- item one is **big** [3]\n- item two. Another. [4][5]\n\n| A | B |\n|---|---|\n| 1 | two [1] |\n",
    "```\ncode. Here.\n```\n2016年2月7日，他去了北京。[1]然后回来了；“好。”他说。",
    "See [the *page*](https://x.example/a?b=1&c=2). <b>x</b> & more. Done.",
    "ſtraße İstanbul. ﬁne ½ day. é́ ok.",
]


def marked(text: str) -> str:
    html = str(render_markdown(text, run_id="r"))
    marks = [
        Mark(sentence=text[each.start : each.end], css_class="is-x", html=f"<i>{each.index}</i>")
        for each in split_answer(text)
    ]
    return mark_sentences(html, marks)


@pytest.mark.parametrize("text", ANSWERS)
def test_nothing_but_marks_is_added(text: str) -> None:
    html = marked(text)
    bare = re.sub(r'<i>\d+</i>|<span class="claim is-x">', "", html)
    plain = str(render_markdown(text, run_id="r"))
    assert bare.replace("</span>", "") == plain.replace("</span>", "")
    assert html.count("<span") == html.count("</span>")


@pytest.mark.parametrize("text", ANSWERS)
def test_every_sentence_has_its_mark_once(text: str) -> None:
    found = re.findall(r"<i>(\d+)</i>", marked(text))
    assert found == [str(each.index) for each in split_answer(text)]


def test_a_mark_stands_behind_citations_and_inline_tags() -> None:
    html = marked("He said **so** [1]. She left. [2]")
    assert re.search(
        r'data-cite="1"[^>]*>1</a></span><span class="claim is-x">\.</span><i>0</i> ', html
    )
    assert html.endswith("2</a></span><i>1</i></p>\n")


def test_a_sentence_that_is_not_there_is_passed_over() -> None:
    html = str(render_markdown("One. Two.", run_id="r"))
    marks = [Mark(sentence="Nothing of it.", css_class="a", html="<i>0</i>")]
    marks.append(Mark(sentence="Two.", css_class="b", html="<i>1</i>"))
    assert mark_sentences(html, marks) == '<p>One. <span class="claim b">Two.</span><i>1</i></p>\n'
