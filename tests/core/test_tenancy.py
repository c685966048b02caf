"""Space scope: closed by default, one space at a time, across threads, tasks and coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django import forms
from django.contrib import admin
from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.test import RequestFactory

from accounts.models import Space, User
from core.aio import in_db
from core.errors import NoSpaceScope
from core.tenancy import current_space_id, space_scope, unscoped
from knowledge.models import Chunk, Document, KnowledgeBase
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@dataclass
class TwoSpaces:
    """Space A holds ant and bee, space B holds cat."""

    a: Space
    b: Space
    base_a: KnowledgeBase
    base_b: KnowledgeBase
    ant: Document
    cat: Document


@pytest.fixture
def two(space_a: Space, space_b: Space) -> TwoSpaces:
    base_a, base_b = make_base(space_a, name="Birds"), make_base(space_b, name="Boats")
    ant = make_document(base_a, name="ant", texts=["an ant"])
    make_document(base_a, name="bee", texts=["a bee"])
    cat = make_document(base_b, name="cat", texts=["a cat"])
    return TwoSpaces(space_a, space_b, base_a, base_b, ant, cat)


READS: dict[str, Callable[[], object]] = {
    "list": lambda: list(Document.objects.all()),
    "count": lambda: Document.objects.count(),
    "exists": lambda: Document.objects.exists(),
    "exclude_exists": lambda: Document.objects.exclude(name="x").exists(),
    "first": lambda: Document.objects.filter(name="ant").first(),
    "last": lambda: Document.objects.last(),
    "get": lambda: Document.objects.get(name="ant"),
    "in_bulk": lambda: Document.objects.in_bulk(),
    "values_list": lambda: list(Document.objects.values_list("name")),
    "iterator": lambda: list(Document.objects.all().iterator()),
    "aggregate": lambda: Document.objects.aggregate(n=Count("pk")),
    "annotate": lambda: list(KnowledgeBase.objects.annotate(n=Count("documents"))),
    "union": lambda: list(Document.objects.all().union(Document.objects.all())),
    "union_from_outside": lambda: list(
        User.objects.values_list("email").union(Document.objects.values_list("name"))
    ),
    "raw": lambda: list(Document.objects.raw("SELECT * FROM knowledge_document")),
    "explain": lambda: Document.objects.all().explain(),
    "contains": lambda: Document.objects.contains(Document()),
    "dates": lambda: list(Document.objects.datetimes("created_at", "day")),
    "select_related": lambda: list(Chunk.objects.select_related("document")),
    "select_for_update": lambda: list(Document.objects.select_for_update()),
    "slice": lambda: Document.objects.all()[0],
    "in_subquery": lambda: list(User.objects.filter(pk__in=Document.objects.values("uploaded_by"))),
    "exists_subquery": lambda: list(
        User.objects.filter(Exists(Document.objects.filter(uploaded_by=OuterRef("pk"))))
    ),
    "scalar_subquery": lambda: list(
        User.objects.annotate(name_=Subquery(Document.objects.values("name")[:1]))
    ),
    "prefetch": lambda: list(
        KnowledgeBase.objects.prefetch_related(Prefetch("documents", Document.objects.all()))
    ),
    "base_manager": lambda: list(Document._base_manager.all()),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS.keys())
def test_reading_without_a_scope_fails(two: TwoSpaces, read: Callable[[], object]) -> None:
    with transaction.atomic(), pytest.raises(NoSpaceScope):
        read()


WRITES: dict[str, Callable[[TwoSpaces], object]] = {
    "update": lambda two: Document.objects.filter(name="ant").update(name="x"),
    "delete_rows": lambda two: Document.objects.all().delete(),
    "delete_row": lambda two: two.ant.delete(),
    "raw_delete": lambda two: Document.objects.all()._raw_delete("default"),
    "save": lambda two: two.ant.save(),
    "create": lambda two: Document.objects.create(
        space=two.a, base=two.base_a, name="x", size_bytes=0, content_hash=""
    ),
    "bulk_create": lambda two: Document.objects.bulk_create(
        [Document(space=two.a, base=two.base_a, name="x", size_bytes=0)]
    ),
    "bulk_update": lambda two: Document.objects.bulk_update([two.ant], ["name"]),
    "get_or_create": lambda two: KnowledgeBase.objects.get_or_create(space=two.a, name="x"),
    "update_or_create": lambda two: KnowledgeBase.objects.update_or_create(
        space=two.a, name="Birds", defaults={"description": "x"}
    ),
    "reload": lambda two: two.ant.refresh_from_db(),
    "related_create": lambda two: two.base_a.documents.create(
        space=two.a, name="x", size_bytes=0, content_hash=""
    ),
    "related_update": lambda two: two.base_a.documents.update(name="x"),
    "related_list": lambda two: list(two.base_a.documents.all()),
    "related_add": lambda two: two.base_a.documents.add(two.ant),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_writing_without_a_scope_fails(
    two: TwoSpaces, write: Callable[[TwoSpaces], object]
) -> None:
    with pytest.raises(NoSpaceScope):
        write(two)
    with unscoped(reason="test"):
        assert sorted(Document.objects.values_list("name", flat=True)) == ["ant", "bee", "cat"]
        assert KnowledgeBase.objects.get(pk=two.base_a.pk).description == ""


FOREIGN_WRITES: dict[str, Callable[[TwoSpaces], object]] = {
    **{name: WRITES[name] for name in ("save", "create", "bulk_create", "bulk_update")},
    **{name: WRITES[name] for name in ("get_or_create", "update_or_create", "delete_row")},
    "related_create": WRITES["related_create"],
    "move_here": lambda two: Document.objects.update(space=two.a),
    "move_here_by_id": lambda two: Document.objects.update(space_id=two.a.pk),
    "move_in_bulk": lambda two: Document.objects.bulk_update([two.cat], ["space"]),
    "point_across": lambda two: Document.objects.update(base=two.base_a),
    "create_pointing_across": lambda two: Document.objects.create(
        space=two.b, base=two.base_a, name="x", size_bytes=0, content_hash=""
    ),
    "bulk_create_pointing_across": lambda two: Document.objects.bulk_create(
        [Document(space=two.b, base=two.base_a, name="x", size_bytes=0, content_hash="")]
    ),
}


@pytest.mark.parametrize("write", FOREIGN_WRITES.values(), ids=FOREIGN_WRITES.keys())
def test_rows_of_another_space_cannot_be_written(
    two: TwoSpaces, write: Callable[[TwoSpaces], object]
) -> None:
    with space_scope(two.b.pk), pytest.raises(NoSpaceScope):
        write(two)


def test_a_foreign_row_cannot_be_taken_over_by_changing_its_space(two: TwoSpaces) -> None:
    two.ant.space = two.b
    two.ant.base = two.base_b
    with space_scope(two.b.pk), transaction.atomic(), pytest.raises(IntegrityError):
        two.ant.save()
    with space_scope(two.a.pk):
        assert Document.objects.get(pk=two.ant.pk).base_id == two.base_a.pk


def test_updates_and_deletions_leave_other_spaces_alone(two: TwoSpaces) -> None:
    with space_scope(two.b.pk):
        assert Document.objects.filter(pk=two.ant.pk).update(name="x") == 0
        assert Document.objects.filter(pk=two.ant.pk).delete()[0] == 0
        assert two.base_a.documents.all().delete()[0] == 0
    with space_scope(two.a.pk):
        assert Document.objects.get(pk=two.ant.pk).name == "ant"


def test_deleting_a_base_takes_what_is_in_it(two: TwoSpaces) -> None:
    with space_scope(two.a.pk):
        two.base_a.delete()
        assert not Chunk.objects.exists()
    with space_scope(two.b.pk):
        assert Chunk.objects.count() == 1


def test_a_scope_shows_only_its_space(two: TwoSpaces) -> None:
    with space_scope(two.a.pk):
        assert set(Document.objects.values_list("name", flat=True)) == {"ant", "bee"}
        with space_scope(two.b.pk):
            assert set(Document.objects.values_list("name", flat=True)) == {"cat"}
            assert Document.objects.filter(Q(name="ant") | Q(name="cat")).count() == 1
            assert Document.objects.exclude(name="cat").count() == 0
            with pytest.raises(Document.DoesNotExist):
                Document.objects.get(pk=two.ant.pk)
        assert current_space_id() == two.a.pk
    with unscoped(reason="test"):
        assert Document.objects.count() == 3
    assert current_space_id() is None


def test_the_scope_ends_when_its_block_fails(two: TwoSpaces) -> None:
    with pytest.raises(ZeroDivisionError), space_scope(two.a.pk):
        _ = 1 / 0
    assert current_space_id() is None


def test_relations_of_a_foreign_row_are_empty(two: TwoSpaces) -> None:
    with space_scope(two.b.pk):
        assert list(two.base_a.documents.all()) == []
        assert two.base_a.documents.count() == 0
        chunk = Chunk.objects.get()
        chunk.document_id = two.ant.pk
        with pytest.raises(Document.DoesNotExist):
            _ = chunk.document


@pytest.mark.parametrize("combine", ["__or__", "__and__", "__xor__"])
@pytest.mark.parametrize("guarded_first", [True, False], ids=["guarded_first", "guarded_last"])
def test_a_query_from_outside_cannot_be_combined_with_one_from_inside(
    two: TwoSpaces, combine: str, guarded_first: bool
) -> None:
    outside: QuerySet[Document] = Document.objects.all()
    with space_scope(two.b.pk):
        inside: QuerySet[Document] = Document.objects.filter(name="cat")
        pair = (outside, inside) if guarded_first else (inside, outside)
        with pytest.raises(NoSpaceScope):
            getattr(pair[0], combine)(pair[1])


def test_a_query_built_outside_stays_closed_inside(two: TwoSpaces) -> None:
    outside = Document.objects.filter(name="ant")
    with space_scope(two.a.pk), pytest.raises(NoSpaceScope):
        list(outside.order_by("pk"))


def test_a_query_keeps_the_space_it_was_built_in(two: TwoSpaces) -> None:
    with space_scope(two.b.pk):
        lazy = Document.objects.order_by("name")
    with space_scope(two.a.pk):
        assert [document.name for document in lazy] == ["cat"]


def _point_chunk_across(two: TwoSpaces) -> None:
    """Let B's chunk point to A's document, around every check in Python."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE knowledge_chunk SET document_id = %s WHERE space_id = %s",
            [two.ant.pk, two.b.pk],
        )


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_a_key_into_another_space(two: TwoSpaces) -> None:
    # So that select_related and other joins, which follow keys unfiltered, find nothing to follow.
    with pytest.raises(IntegrityError, match="_space"):
        _point_chunk_across(two)
    with space_scope(two.b.pk):
        names = Chunk.objects.select_related("document").values_list("document__name", flat=True)
        assert list(names) == ["cat"]


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_a_row_created_below_a_foreign_id(two: TwoSpaces) -> None:
    with space_scope(two.b.pk), pytest.raises(IntegrityError, match="_space"):
        Document.objects.create(
            space=two.b, base_id=two.base_a.pk, name="x", size_bytes=0, content_hash=""
        )


def test_a_form_defined_without_a_scope_stays_closed(two: TwoSpaces) -> None:
    class DocumentForm(forms.ModelForm[Document]):
        class Meta:
            model = Document
            fields = ("base", "name")

    with space_scope(two.a.pk):
        field = DocumentForm().fields["base"]
        assert isinstance(field, forms.ModelChoiceField)
        with pytest.raises(NoSpaceScope):
            list(field.queryset or ())


def test_the_admin_sees_only_the_scopes_rows(two: TwoSpaces, olivia: Persona) -> None:
    request = RequestFactory().get("/admin/")
    request.user = olivia.user
    documents = admin.ModelAdmin(Document, admin.site)
    with pytest.raises(NoSpaceScope):
        list(documents.get_queryset(request))
    with space_scope(two.b.pk):
        assert [one.name for one in documents.get_queryset(request)] == ["cat"]
        assert documents.get_object(request, str(two.ant.pk)) is None


async def _names() -> list[str]:
    return [document.name async for document in Document.objects.order_by("name")]


@pytest.mark.django_db(transaction=True)
async def test_async_queries_without_a_scope_fail(two: TwoSpaces) -> None:
    for read in (
        lambda: Document.objects.aget(name="ant"),
        lambda: Document.objects.acount(),
        lambda: Document.objects.aexists(),
        lambda: Document.objects.afirst(),
        lambda: Document.objects.aupdate(name="x"),
        lambda: Document.objects.all().adelete(),
        lambda: two.ant.asave(),
        lambda: two.ant.adelete(),
        lambda: two.ant.arefresh_from_db(),
        _names,
    ):
        with pytest.raises(NoSpaceScope):
            await read()


@pytest.mark.django_db(transaction=True)
async def test_scopes_of_concurrent_coroutines_stay_apart(two: TwoSpaces) -> None:
    entered = asyncio.Barrier(2)

    async def names_of(space: Space) -> tuple[list[str], list[str]]:
        with space_scope(space.pk):
            await entered.wait()
            by_thread = await in_db(lambda: sorted(str(one) for one in Document.objects.all()))
            return await _names(), by_thread

    found = list(await asyncio.gather(names_of(two.a), names_of(two.b)))
    assert found == [(["ant", "bee"], ["ant", "bee"]), (["cat"], ["cat"])]
    assert current_space_id() is None


def test_every_relation_between_spaces_has_its_wall(db: None) -> None:
    from core.space_keys import space_keys

    with connection.cursor() as cursor:
        cursor.execute("SELECT conname FROM pg_constraint")
        existing = {name for (name,) in cursor.fetchall()}
    keys = list(space_keys())
    assert {key.name for key in keys} <= existing
    assert len(keys) > 10
    assert len({key.name for key in keys}) == len(keys)
    assert max(len(key.name) for key in keys) < 64


def test_the_walls_are_built_once(db: None) -> None:
    from core.space_keys import add_space_keys

    assert add_space_keys(using="default") == []
