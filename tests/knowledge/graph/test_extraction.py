"""What is taken of a model's answer: what stands in the passage, of the wanted kinds, each once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from knowledge.base_settings import GraphOptions
from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Extraction, extract
from knowledge.graph.names import normal_form, possible_names
from providers.contracts.errors import ModelError

TEXT = (
    "Harbour Trust owns Pier 7. The keeper Ada Lind reports to the HARBOUR TRUST. 中国石油在上海。"
)


def answered(*texts: str) -> tuple[Callable[[Wish], str], list[Wish]]:
    """A model that gives these answers, and what it was asked."""
    asked: list[Wish] = []

    def ask(wish: Wish) -> str:
        asked.append(wish)
        return texts[len(asked) - 1]

    return ask, asked


def read(answer: Any, **options: Any) -> Extraction:
    ask, _ = answered(answer if isinstance(answer, str) else json.dumps(answer))
    found = GraphOptions(is_enabled=True, **options)
    return extract(ask, material=TEXT, ground=TEXT, options=found)


def entity(name: str, kind: str = "thing") -> dict[str, str]:
    return {"name": name, "kind": kind, "description": f"About {name}."}


def test_names_that_do_not_stand_in_the_passage_are_left_out() -> None:
    found = read({"entities": [entity("Pier 7"), entity("Acme Corporation"), entity("")]})
    assert [each.name for each in found.entities] == ["Pier 7"]
    assert found.left_out == 2


def test_names_are_merged_whatever_their_case_and_article() -> None:
    given = [entity("Harbour Trust"), entity("the HARBOUR  TRUST"), entity("“harbour trust”")]
    found = read({"entities": given})
    assert [(each.normal, each.name) for each in found.entities] == [
        ("harbour trust", "Harbour Trust")
    ]


def test_relations_need_two_entities_and_a_kind_and_are_told_once() -> None:
    owns = {"source": "harbour trust", "target": "Pier 7", "kind": "Owns", "description": None}
    found = read(
        {
            "entities": [entity("Harbour Trust"), entity("Pier 7")],
            "relations": [
                owns,
                owns,
                {**owns, "target": "Atlantis"},
                {**owns, "target": "Harbour Trust"},
                {**owns, "kind": ""},
            ],
        }
    )
    [relation] = found.relations
    assert (relation.source, relation.kind, relation.target) == ("harbour trust", "owns", "pier 7")


def test_only_wanted_kinds_are_taken() -> None:
    given = {
        "entities": [entity("Ada Lind", "Person"), entity("Pier 7", "Place")],
        "relations": [{"source": "Ada Lind", "target": "Ada Lind", "kind": "is"}],
    }
    found = read(given, entity_kinds="person, organisation")
    assert [(each.name, each.kind) for each in found.entities] == [("Ada Lind", "person")]


def test_an_answer_of_another_form_is_asked_for_once_more() -> None:
    ask, asked = answered("I would rather not.", json.dumps({"entities": [entity("Pier 7")]}))
    found = extract(ask, material=TEXT, ground=TEXT, options=GraphOptions())
    assert [each.name for each in found.entities] == ["Pier 7"]
    assert "I would rather not." in asked[1].material
    ask, asked = answered("No.", '{"entities": 3}')
    with pytest.raises(ModelError, match="another form"):
        extract(ask, material=TEXT, ground=TEXT, options=GraphOptions())
    assert len(asked) == 2


def test_broken_json_is_mended_and_hostile_characters_are_taken_out() -> None:
    found = read('Sure: ```json\n{"entities": [{"name": "Pier\\u0000 7", "kind": "place"}\n```')
    assert [(each.name, each.kind) for each in found.entities] == [("Pier 7", "place")]


def test_a_deeply_nested_answer_is_refused() -> None:
    ask, _ = answered(*['{"entities":' + "[" * 100_000] * 2)
    with pytest.raises(ModelError):
        extract(ask, material=TEXT, ground=TEXT, options=GraphOptions())


def test_the_options_reach_the_model() -> None:
    ask, asked = answered('{"entities": []}')
    options = GraphOptions(entity_kinds="Ship", relation_kinds="sails to", example="Ada: person")
    extract(ask, material=TEXT, ground=TEXT, options=options)
    assert all(text in asked[0].instructions for text in ("Ship", "sails to", "Ada: person"))


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("  The  Harbour Trust, ", "harbour trust"),
        ("ＡＢＣ", "abc"),
        ("中国石油", "中国石油"),
        ("C++", "c++"),
        ("?!", ""),
        ("x" * 121, ""),
        ("the", "the"),
    ],
)
def test_normal_forms(name: str, normal: str) -> None:
    assert normal_form(name) == normal


def test_possible_names_of_a_question() -> None:
    names = possible_names("Who owns Pier 7? 中国石油在哪里")
    assert {"pier 7", "中国石油", "owns pier 7"} <= set(names)
