from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from knowledge.models import Tag
from knowledge.organising.details import Details, clean_metadata, set_details
from knowledge.organising.filters import DocumentFilter, filtered
from knowledge.organising.tags import (
    change_tag,
    create_tag,
    delete_tag,
    list_tags,
    order_tags,
    set_document_tags,
)
from knowledge.queries import list_documents
from tests.knowledge.organising.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db


def names(person: Persona, shelf: Shelf, **wanted: object) -> list[str]:
    rows = list_documents(person.actor, shelf.base.pk)
    found = filtered(rows, DocumentFilter(sort="name", **wanted))  # type: ignore[arg-type]  # any
    return [each.name for each in found]


def test_tags_are_made_in_order_and_counted(cora: Persona, shelf: Shelf) -> None:
    first = create_tag(cora.actor, base_id=shelf.base.pk, name=" Legal  hold ", color="bad")
    second = create_tag(cora.actor, base_id=shelf.base.pk, name="Draft")
    set_document_tags(cora.actor, document_id=shelf.root.pk, tag_ids=[first.pk])
    found = [
        (tag.name, getattr(tag, "document_total"))  # noqa: B009 - an annotation
        for tag in list_tags(cora.actor, shelf.base.pk)
    ]
    assert found == [("Legal hold", 1), ("Draft", 0)]
    order_tags(cora.actor, base_id=shelf.base.pk, tag_ids=[second.pk])
    assert list(Tag.objects.values_list("name", flat=True)) == ["Draft", "Legal hold"]


def test_second_tag_of_a_name_is_refused_whatever_its_case(cora: Persona, shelf: Shelf) -> None:
    create_tag(cora.actor, base_id=shelf.base.pk, name="Legal")
    with pytest.raises(Conflict):
        create_tag(cora.actor, base_id=shelf.base.pk, name="LEGAL")


@pytest.mark.parametrize(("name", "color"), [("", ""), ("x" * 65, ""), ("a", "purple")])
def test_tag_without_a_name_or_of_a_foreign_color_is_refused(
    cora: Persona, shelf: Shelf, name: str, color: str
) -> None:
    with pytest.raises(Invalid):
        create_tag(cora.actor, base_id=shelf.base.pk, name=name, color=color)


def test_viewer_sees_tags_and_changes_none(
    cora: Persona, victor: Persona, mallory: Persona, shelf: Shelf
) -> None:
    tag = create_tag(cora.actor, base_id=shelf.base.pk, name="Legal")
    assert list_tags(victor.actor, shelf.base.pk).count() == 1
    with pytest.raises(AccessDenied):
        change_tag(victor.actor, tag_id=tag.pk, name="Mine", color="")
    with mallory.scope(), pytest.raises(NotFound):
        delete_tag(mallory.actor, tag_id=tag.pk)


def test_deleted_tag_leaves_its_documents(cora: Persona, shelf: Shelf) -> None:
    tag = create_tag(cora.actor, base_id=shelf.base.pk, name="Legal")
    set_document_tags(cora.actor, document_id=shelf.root.pk, tag_ids=[tag.pk])
    assert delete_tag(cora.actor, tag_id=tag.pk) == 1
    assert names(cora, shelf) == ["inner.txt", "outer.txt", "root.txt"]


def test_filters_by_any_of_the_tags(cora: Persona, shelf: Shelf) -> None:
    red = create_tag(cora.actor, base_id=shelf.base.pk, name="Red")
    blue = create_tag(cora.actor, base_id=shelf.base.pk, name="Blue")
    set_document_tags(cora.actor, document_id=shelf.root.pk, tag_ids=[red.pk, blue.pk])
    set_document_tags(cora.actor, document_id=shelf.inner.pk, tag_ids=[blue.pk])
    assert names(cora, shelf, tag_ids=(red.pk, blue.pk)) == ["inner.txt", "root.txt"]


def test_filters_by_folder_with_and_without_what_is_below(cora: Persona, shelf: Shelf) -> None:
    assert names(cora, shelf, folder="Law") == ["inner.txt", "outer.txt"]
    assert names(cora, shelf, folder="Law", with_subfolders=False) == ["outer.txt"]
    assert names(cora, shelf, folder="") == ["root.txt"]


def test_filters_by_name_state_and_time(cora: Persona, shelf: Shelf) -> None:
    today = timezone.localdate()
    assert names(cora, shelf, search="INN") == ["inner.txt"]
    assert names(cora, shelf, state="failed") == []
    assert names(cora, shelf, file_type="txt", updated_from=today)[0] == "inner.txt"
    assert names(cora, shelf, updated_to=today - timedelta(days=1)) == []


@pytest.mark.parametrize(
    ("value", "asked"), [("Berlin", "Berlin"), (7, "7"), (True, "yes"), (2.5, "2.5")]
)
def test_filters_by_own_fields_of_every_kind(
    cora: Persona, shelf: Shelf, value: str | float, asked: str
) -> None:
    details = Details(name=shelf.root.name, metadata={"place": value})
    set_details(cora.actor, document_id=shelf.root.pk, details=details)
    assert names(cora, shelf, metadata_key="place", metadata_value=asked) == ["root.txt"]
    assert names(cora, shelf, metadata_key="place") == ["root.txt"]
    assert names(cora, shelf, metadata_key="place", metadata_value="nan") == []


def test_what_is_due_for_review_is_listed(cora: Persona, victor: Persona, shelf: Shelf) -> None:
    today = timezone.localdate()
    for document, day in ((shelf.root, today), (shelf.inner, today + timedelta(days=7))):
        details = Details(name=document.name, owner_id=victor.user.pk, review_by=day)
        set_details(cora.actor, document_id=document.pk, details=details)
    assert names(cora, shelf, review="due") == ["root.txt"]
    assert names(cora, shelf, review="soon") == ["inner.txt", "root.txt"]
    assert names(cora, shelf, owner_id=victor.user.pk) == ["inner.txt", "root.txt"]


def test_owner_is_a_member(cora: Persona, mallory: Persona, shelf: Shelf) -> None:
    details = Details(name="a.txt", owner_id=mallory.user.pk)
    with pytest.raises(Invalid, match="member"):
        set_details(cora.actor, document_id=shelf.root.pk, details=details)


def test_own_fields_have_bounds() -> None:
    assert clean_metadata({" a  b ": " x ", "n": 0, "no": False, "blank": ""}) == {
        "a b": "x",
        "n": 0,
        "no": False,
    }
    for wrong in (
        {"": "x"},
        {"k" * 65: "x"},
        {"k": "x" * 1001},
        {"k": float("inf")},
        {"k": ["x"]},
        {f"k{number}": 1 for number in range(21)},
    ):
        with pytest.raises(Invalid):
            clean_metadata(wrong)


def test_audit_names_fields_and_not_what_is_in_them(cora: Persona, shelf: Shelf) -> None:
    details = Details(name="a.txt", review_by=date(2027, 1, 1), metadata={"pin": "4711"})
    set_details(cora.actor, document_id=shelf.root.pk, details=details)
    event = AuditEvent.objects.get(action="document.details")
    assert event.details["fields"] == ["pin"]
    assert "4711" not in str(event.details)
