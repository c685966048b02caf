"""Who may look into a recorded search, what of it they see, and how it ends."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.platform.erasure import Subject, erasers_of, run_eraser
from accounts.platform.export import rows_of, tables
from core.errors import NotFound
from core.jobs.handlers import JobContext
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.constants import SearchDoor
from knowledge.models import Document, KnowledgeBase, SearchRecord
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.searches.nightly import begin_forgetting
from knowledge.searches.reading import list_searches, read_search
from knowledge.searches.record import record_search
from knowledge.searches.tasks import forget
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
QUESTION = "What is the notice period of consultants?"


@pytest.fixture
def pay(olivia: Persona, base: KnowledgeBase, words: WordModel) -> Document:
    """A document that both searches of the tests find."""
    cache.clear()
    add_document(base, "The notice period of consultants is two weeks.", model=words)
    return add_document(base, "Consultants get notice by mail.", name="pay.txt", model=words)


def erase(subject: Subject) -> None:
    for each in erasers_of(subject.kind):
        if each.name == "knowledge.searches":
            run_eraser(each, subject)


def searched(persona: Persona, *bases: KnowledgeBase) -> UUID:
    scope = Scope(base_ids=tuple(base.pk for base in bases))
    found = retrieve(persona.actor, query=QUESTION, scope=scope)
    search_id = record_search(persona.actor, door=SearchDoor.PAGE, scope=scope, found=found)
    assert search_id is not None
    return search_id


def may_read(persona: Persona, search_id: UUID) -> bool:
    try:
        with space_scope(persona.space.pk):
            read_search(persona.actor, search_id)
    except NotFound:
        return False
    return True


def test_its_person_and_who_may_change_every_base_read_it(
    olivia: Persona, adam: Persona, cora: Persona, victor: Persona, mallory: Persona, pay: Document
) -> None:
    own = make_base(victor.space, name="Cora's", created_by=cora.user)
    both, hers = searched(victor, pay.base, own), searched(victor, own)
    assert [may_read(each, both) for each in (olivia, adam, cora, victor, mallory)] == [
        *(True, True, False, True, False)
    ]
    assert may_read(cora, hers)
    assert read_search(victor.actor, hers).is_own
    assert not read_search(cora.actor, hers).is_own


@pytest.mark.parametrize("door", [SearchDoor.QUICK, SearchDoor.TOOL])
def test_what_was_searched_for_in_a_conversation_is_its_persons_alone(
    olivia: Persona, victor: Persona, pay: Document, door: SearchDoor
) -> None:
    asked = searched(victor, pay.base)
    with victor.scope():
        SearchRecord.objects.filter(pk=asked).update(door=door)
    assert [may_read(each, asked) for each in (olivia, victor)] == [False, True]


def test_a_search_that_looked_nowhere_is_its_persons_alone(
    olivia: Persona, victor: Persona, pay: Document
) -> None:
    nowhere = searched(victor)
    assert may_read(victor, nowhere)
    assert not may_read(olivia, nowhere)


def test_the_list_of_a_base_holds_what_one_may_read(
    olivia: Persona, cora: Persona, victor: Persona, pay: Document
) -> None:
    search_id = searched(victor, pay.base)
    for persona, seen in ((olivia, [search_id]), (victor, [search_id]), (cora, [])):
        rows = list_searches(persona.actor, base_id=pay.base_id)
        assert [row.pk for row in rows] == seen


def test_what_was_restricted_since_is_hidden_from_its_person(
    olivia: Persona, victor: Persona, pay: Document
) -> None:
    search_id = searched(victor, pay.base)
    restrict(
        olivia.actor,
        Place(base_id=pay.base_id, document_id=pay.pk),
        user_ids=[olivia.user.pk],
        group_ids=[],
    )
    mine, whole = read_search(victor.actor, search_id), read_search(olivia.actor, search_id)
    assert pay.pk not in {each.document_id for each in mine.candidates}
    assert mine.hidden == 1
    assert pay.pk in {each.document_id for each in whole.candidates}
    assert whole.hidden == 0


def test_an_erased_document_is_in_no_record(
    victor: Persona, mallory: Persona, pay: Document
) -> None:
    search_id = searched(victor, pay.base)
    subject = Subject(kind="document", id=str(pay.pk), space_id=pay.space_id)
    erase(subject)
    row = SearchRecord.objects.get(pk=search_id)
    assert str(pay.pk) not in str([row.hits, row.trace, row.scope])
    assert row.hits


def test_an_erased_persons_searches_are_gone_and_others_stay(
    cora: Persona, victor: Persona, pay: Document
) -> None:
    gone, kept = searched(victor, pay.base), searched(cora, pay.base)
    subject = Subject(kind="person", id=str(victor.user.pk))
    erase(subject)
    assert [row.pk for row in SearchRecord.objects.all()] == [kept]
    assert gone != kept


def test_the_copy_of_a_space_holds_the_persons_own_without_what_is_closed(
    olivia: Persona, victor: Persona, pay: Document
) -> None:
    searched(victor, pay.base)
    searched(olivia, pay.base)
    restrict(
        olivia.actor,
        Place(base_id=pay.base_id, document_id=pay.pk),
        user_ids=[olivia.user.pk],
        group_ids=[],
    )
    (table,) = [each for each in tables() if each.model is SearchRecord]
    (row,) = rows_of(table, victor.actor)
    assert row["user_id"] == victor.user.pk
    assert str(pay.pk) not in str(row)


def test_old_records_end_and_newer_ones_stay(
    victor: Persona, pay: Document, settings: Settings
) -> None:
    settings.SEARCH_DAYS = 30
    old, new = searched(victor, pay.base), searched(victor, pay.base)
    at = timezone.now() - timedelta(days=31)
    SearchRecord.objects.filter(pk=old).update(created_at=at)
    begin_forgetting()
    assert BackgroundJob.objects.get(name="knowledge.forget_searches").space_id == victor.space.pk
    context = JobContext(
        job_id=uuid4(),
        space_id=victor.space.pk,
        attempt=1,
        lease_epoch=1,
        deadline=float("inf"),
    )
    forget(context)
    assert [row.pk for row in SearchRecord.objects.all()] == [new]


def test_a_guest_of_a_shared_base_opens_their_own_search_and_nobody_elses(
    victor: Persona, cora: Persona, mallory: Persona, words: WordModel
) -> None:
    cache.clear()
    theirs = make_base(mallory.space, name="Shared", created_by=mallory.user)
    with space_scope(mallory.space.pk):
        add_document(theirs, "Consultants get notice by mail.", model=words)
    share_base(theirs, make_organisation(mallory.space, editors=(victor.space,)))
    victor.client.get(reverse("base_search", args=[theirs.pk]), {"question": QUESTION})
    with space_scope(mallory.space.pk):
        row = SearchRecord.objects.get()
    assert row.user_id == victor.user.pk
    url = reverse("search_record", args=[theirs.pk, row.pk])
    statuses = [each.client.get(url).status_code for each in (victor, cora, mallory)]
    assert statuses == [200, 404, 200]
