"""Filters: what they select, that they fail closed, and that access stays what it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st

from core.errors import Invalid
from knowledge.models import Document, DocumentTag, KnowledgeBase, Tag
from knowledge.retrieval.filter_values import Condition, Filter, narrowed, read_filter
from knowledge.retrieval.filters import document_condition
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope, resolve
from tests.factories.knowledge import make_document
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db


def where(field: str, value: Any, operator: str = "equals") -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


@pytest.fixture
def shelf(base: KnowledgeBase) -> dict[str, Document]:
    """Four documents that differ in everything a filter knows."""
    made = {
        "old": make_document(
            base,
            name="old",
            folder_path="Contracts",
            metadata={"year": 2019, "customer": "Acme", "signed": True, "due": "2024-03-01"},
        ),
        "new": make_document(
            base,
            name="new",
            folder_path="Contracts/2024",
            metadata={"year": 2024.5, "customer": "acme", "2024": "yes", "due": "2024-11-05T10:00"},
        ),
        "odd": make_document(
            base,
            name="odd",
            folder_path="Contracts2",
            metadata={"year": "2030", "customer": 7, "due": "soon", "signed": False},
        ),
        "bare": make_document(base, name="bare"),
    }
    Document.objects.filter(name="new").update(file_type="pdf", review_by="2025-01-31")
    Document.objects.filter(name="old").update(
        created_at=datetime(2020, 5, 1, 12, tzinfo=UTC), updated_at=datetime(2021, 5, 1, tzinfo=UTC)
    )
    tags = [Tag.objects.create(space_id=base.space_id, base=base, name=n) for n in ("Red", "Blue")]
    for name, tag in (("old", tags[0]), ("old", tags[1]), ("new", tags[1])):
        DocumentTag.objects.create(space_id=base.space_id, document=made[name], tag=tag)
    return made


def names(value: dict[str, Any]) -> set[str]:
    rows = Document.objects.filter(document_condition(read_filter(value)))
    found = list(rows.values_list("name", flat=True))
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize(
    ("condition", "selected"),
    [
        (where("folder", "Contracts"), {"old", "new"}),
        (where("folder", "/Contracts/2024/"), {"new"}),
        (where("folder", ""), {"bare"}),
        (where("folder", ["Contracts2", "Contracts/2024"], "in"), {"odd", "new"}),
        (where("folder", False, "exists"), {"bare"}),
        (where("tag", "blue"), {"old", "new"}),
        (where("tag", ["Red", "Green"], "in"), {"old"}),
        (where("tag", 123456), set()),
        (where("tag", False, "exists"), {"odd", "bare"}),
        (where("file_type", ".PDF"), {"new"}),
        (where("file_type", ["pdf", "txt"], "in"), {"old", "new", "odd", "bare"}),
        (where("created", "2020-05-01"), {"old"}),
        (where("created", "2020-05-01", "at_most"), {"old"}),
        (where("created", "2020-05-01", "less"), set()),
        (where("created", "2020-05-01T13:00:00+02:00", "at_least"), {"old", "new", "odd", "bare"}),
        (where("updated", "2021-05-02", "at_least"), {"new", "odd", "bare"}),
        (where("review", "2025-02-01", "less"), {"new"}),
        (where("review", False, "exists"), {"old", "odd", "bare"}),
        (where("own.year", 2019), {"old"}),
        (where("own.year", [2019, "2030"], "in"), {"old", "odd"}),
        (where("own.year", 2019, "greater"), {"new"}),
        (where("own.year", 2019, "at_least"), {"old", "new"}),
        (where("own.year", 0, "less"), set()),
        (where("own.signed", 0, "greater"), set()),
        (where("own.customer", "Acme"), {"old"}),
        (where("own.2024", "yes"), {"new"}),
        (where("own.2024", True, "exists"), {"new"}),
        (where("own.nobody", True, "exists"), set()),
        (where("own.due", "2024-03-01", "greater"), {"new"}),
        (where("own.due", "2024-03-01", "at_least"), {"old", "new"}),
        (where("own.due", "2024-11-05", "at_most"), {"old", "new"}),
    ],
)
def test_a_condition_selects_what_it_says(shelf, condition, selected):
    assert names({"all_of": [condition]}) == selected


def test_a_document_is_selected_by_its_id(shelf):
    assert names({"all_of": [where("document", str(shelf["odd"].pk))]}) == {"odd"}


def test_groups_join_with_and_and_or(shelf):
    acme = {"any_of": [where("own.customer", "Acme"), where("own.customer", "acme")]}
    assert names({"all_of": [acme, where("tag", "red")]}) == {"old"}
    assert names({**acme, "all_of": [where("file_type", "pdf")]}) == {"new"}
    deep = {"any_of": [{"all_of": [acme, where("file_type", "pdf")]}, where("folder", "")]}
    assert names(deep) == {"new", "bare"}


UNUSABLE = [
    pytest.param({"all_of": [where("colour", "red")]}, id="unknown field"),
    pytest.param({"all_of": [where("own.", "red")]}, id="field without a name"),
    pytest.param({"any_of": []}, id="no alternatives"),
    pytest.param({"all_of": []}, id="no conditions"),
    pytest.param({"all_of": [where("folder", "a"), {"any_of": []}]}, id="empty inner group"),
    pytest.param({"all_of": [where("folder", 7)]}, id="folder is a number"),
    pytest.param({"all_of": [where("folder", "a", "greater")]}, id="order of folders"),
    pytest.param({"all_of": [where("tag", True)]}, id="tag is a yes"),
    pytest.param({"all_of": [where("document", "7")]}, id="no id"),
    pytest.param({"all_of": [where("created", "yesterday", "less")]}, id="no date"),
    pytest.param({"all_of": [where("created", "2024-02-30", "less")]}, id="no such day"),
    pytest.param({"all_of": [where("created", "0001-01-01T00:00:00", "less")]}, id="before time"),
    pytest.param({"all_of": [where("created", ["2024-01-01"], "in")]}, id="list of days"),
    pytest.param({"all_of": [where("review", True, "greater")]}, id="review is a yes"),
    pytest.param({"all_of": [where("own.year", "many", "greater")]}, id="order of words"),
    pytest.param({"all_of": [where("own.year", True, "greater")]}, id="order of yes"),
    pytest.param({"all_of": [where("own.year", [1], "equals")]}, id="equals a list"),
    pytest.param({"all_of": [where("own.year", [], "in")]}, id="in nothing"),
    pytest.param({"all_of": [where("own.year", 1, "exists")]}, id="exists is no yes"),
    pytest.param({"all_of": [where("own.year", "a\x00b")]}, id="nul"),
    pytest.param({"all_of": [where("own.y\x00", "a")]}, id="nul in the name"),
]


@pytest.mark.parametrize("value", UNUSABLE)
def test_a_filter_that_cannot_be_used_selects_nothing(shelf, victor: Persona, base, value):
    wanted = read_filter(value)
    scope = Scope(base_ids=(base.pk,), filter=wanted)
    with pytest.raises(Invalid):
        resolve(victor.actor, scope)
    lenient = resolve(victor.actor, Scope(base_ids=(base.pk,), filter=wanted, strict=False))
    assert (lenient.bases, lenient.chunks.count()) == ((), 0)
    assert "Nothing was searched" in lenient.warnings[0]


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = where("folder", "a")
    for _ in range(depth):
        inner = {"all_of": [inner]}
    return inner


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(nested(4), id="too deep"),
        pytest.param(nested(30), id="far too deep"),
        pytest.param({"all_of": [nested(1)["all_of"][0]] * 51}, id="too many"),
        pytest.param(
            {"all_of": [{"all_of": [where("folder", "a")] * 26}] * 2}, id="too many in all"
        ),
        pytest.param({"all_of": [{**where("folder", "a"), "access": "all"}]}, id="more than known"),
        pytest.param({"none_of": [where("folder", "a")]}, id="unknown group"),
        pytest.param({"all_of": [where("own.x", float("nan"))]}, id="no number"),
        pytest.param({"all_of": [where("own.x", 10**400)]}, id="huge number"),
        pytest.param({"all_of": [where("own.x", {"a": 1})]}, id="an object"),
        pytest.param({"all_of": [where("own.x", "\ud800")]}, id="half a character"),
        pytest.param("folder", id="a text"),
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
    ],
)
def test_what_is_no_filter_is_refused_in_words(value):
    with pytest.raises(Invalid, match="The filter cannot be used"):
        read_filter(value)


def test_three_deep_and_fifty_conditions_are_allowed(shelf):
    assert names(nested(3)) == set()
    assert names({"any_of": [where("folder", "")] * 50}) == {"bare"}


def test_narrowing_adds_conditions_that_all_hold(shelf):
    wanted = read_filter({"any_of": [where("tag", "blue"), where("folder", "")]})
    text = Condition(field="file_type", value="txt")
    found = narrowed(wanted, text)
    assert found is not None
    assert names(found.model_dump()) == {"old", "bare"}
    assert narrowed(None) is None
    assert names(Filter(all_of=(text,)).model_dump()) == {"old", "odd", "bare"}
    with pytest.raises(Invalid):
        narrowed(found, *[text] * 50)


VALUES = st.one_of(
    st.text(max_size=12), st.integers(), st.booleans(), st.floats(), st.lists(st.text(max_size=3))
)
FIELDS = st.sampled_from(
    ["folder", "tag", "document", "file_type", "created", "updated", "review", "own.year", "own.1"]
)
OPERATORS = st.sampled_from(["equals", "in", "exists", "greater", "at_least", "less", "at_most"])


@hypothesis_settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(condition=st.builds(where, FIELDS, VALUES, OPERATORS))
def test_every_condition_selects_or_is_refused_in_words(victor: Persona, condition):
    with victor.scope():
        try:
            wanted = document_condition(read_filter({"all_of": [condition]}))
        except Invalid:
            return
        list(Document.objects.filter(wanted))


# In a search


def test_a_search_finds_only_what_the_filter_selects(base, words: WordModel, victor: Persona):
    text = "The notice period is two weeks."
    first = add_document(base, text, name="first")
    add_document(base, f"{text} In all other cases it is a month.", name="second")
    Document.objects.filter(pk=first.pk).update(folder_path="Contracts")
    wanted = read_filter({"all_of": [where("folder", "Contracts")]})
    scope = Scope(base_ids=(base.pk,), filter=wanted)
    found = retrieve(victor.actor, query="notice period", scope=scope)
    assert [hit.document_id for hit in found.hits] == [first.pk]
    assert {each.document_id for each in found.trace.candidates} == {first.pk}


def test_a_filter_over_named_documents_narrows_them(base, victor: Persona):
    one, two = make_document(base, texts=["a"]), make_document(base, texts=["b", "c"])
    wanted = read_filter({"all_of": [where("document", str(two.pk))]})
    both = Scope(document_ids=(one.pk, two.pk), filter=wanted)
    assert resolve(victor.actor, both).document_chunks == 2
    other = resolve(victor.actor, Scope(document_ids=(one.pk,), filter=wanted))
    assert other.chunks.count() == 0


def test_a_filter_opens_no_document_of_another_space(base, victor: Persona, mallory: Persona):
    document = make_document(base, texts=["secret"])
    wanted = read_filter({"all_of": [where("document", str(document.pk))]})
    with mallory.scope():
        assert resolve(mallory.actor, Scope(filter=wanted)).chunks.count() == 0
    with victor.scope():
        assert resolve(victor.actor, Scope(filter=wanted)).chunks.count() == 1
