"""What is erased is nowhere any more, and what must stay stays."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.constants import Role
from accounts.models import AuditEvent, Erasure, Membership, PlatformAuditEvent, Space, User
from accounts.platform import erasure_jobs
from accounts.platform.erasure import run_eraser
from accounts.platform.erasure_check import find_text
from accounts.platform.erasure_holds import set_legal_hold
from accounts.platform.erasure_requests import (
    delete_own_account,
    request_erasure,
    retry_erasure,
)
from accounts.services.audit import record_audit
from accounts.services.platform_audit import record_platform_audit
from agents.engine.events import (
    AgentEvent,
    AnswerFinished,
    CitationAdded,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.erasure_documents import NOTE
from agents.models import (
    AgentRun,
    Conversation,
    MemoryItem,
    MessageBlob,
    RunEvent,
    SentenceVerdict,
    StoredResult,
    SuggestionSet,
    ToolCall,
)
from core.errors import AccessDenied, Conflict, NotFound, Refused
from core.jobs.handlers import JobContext, RetryJob
from core.tenancy import space_scope, unscoped
from knowledge.ingest.index import index_chunks
from knowledge.ingest.read import kept_text_key
from knowledge.models import Chunk, Document, EvidenceRow, TermStatistic
from knowledge.storage import PARSED_FOLDER, store_file, store_json
from tests.factories.accounts import make_invitation, make_member, make_user
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.artifacts import make_artifact
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_familiar, make_memory
from tests.personas import Persona

SECRET = "quartzlantern"
OTHER = "plainsailing"


@pytest.fixture
def files(tmp_path: object, settings: Settings) -> None:
    """A store of this test alone."""
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def boss(db: None) -> User:
    """Who administers the installation."""
    return make_user("boss@example.org", name="Boss", is_staff=True, is_superuser=True)


def carry_out(run: DjangoCaptureOnCommitCallbacks) -> None:
    """Do what the job of each running erasure does, with what follows on commit.

    By hand: the heartbeat of a worker would not see rows of the test's transaction.
    """
    with run(execute=True):
        for row in Erasure.objects.filter(state="running"):
            context = JobContext(
                job_id=uuid4(), space_id=0, attempt=1, lease_epoch=1, deadline=float("inf")
            )
            erasure_jobs.carry_out(context, erasure_id=str(row.pk))


def put_document(persona: Persona, *, name: str, text: str) -> Document:
    """A document with its file, kept text, passages and keyword rows."""
    base = make_base(persona.space, created_by=persona.user)
    stored = store_file(persona.space.pk, BytesIO(text.encode()))
    document = make_document(
        base,
        name=name,
        texts=[text],
        content_hash=stored.content_hash,
        uploaded_by=persona.user,
    )
    with space_scope(persona.space.pk):
        index_chunks(document)
        store_json(persona.space.pk, PARSED_FOLDER, kept_text_key(document), {"text": text})
    return document


def answer_from(document: Document, *, user: User, space: Space, text: str) -> AgentRun:
    """A run in `space` that read the document and quoted it in every place there is."""
    conversation = make_conversation(space, user=user, agent=make_agent(space))
    run = make_run(conversation, question="What stands there?", answer=f"It says {text} [1].")
    hit = {"document_id": str(document.pk), "base_id": str(document.base_id), "text": text}
    events: list[AgentEvent] = [
        RunStarted(seq=1, question="What stands there?", mode="react"),
        ThoughtDelta(seq=2, round=1, text=f"I look for {text}."),
        ToolCallStarted(
            seq=3, round=1, call_id="a", name="grep", arguments={"pattern": text}, title=text
        ),
        ToolCallFinished(
            seq=4,
            round=1,
            call_id="a",
            name="grep",
            ok=True,
            output=text,
            summary=f"Found {text}",
            data={"hits": [hit]},
            duration_ms=1,
        ),
        CitationAdded(
            seq=5, marker=1, alias="c1", kind="chunk", document_id=str(document.pk), title=text
        ),
        AnswerFinished(seq=6, text=f"It says {text} [1]."),
        RunFinished(
            seq=7, outcome="answered", reason="natural_stop", answer=f"It says {text} [1]."
        ),
    ]
    with space_scope(space.pk):
        RunEvent.objects.bulk_create(
            RunEvent(
                space=space,
                run=run,
                seq=each.seq,
                seq_to=each.seq,
                type=each.type,
                data=each.model_dump(mode="json"),
            )
            for each in events
        )
        outcome = {"call_id": "a", "name": "grep", "ok": True, "output": text, "data": hit}
        ToolCall.objects.create(space=space, run=run, call_id="a", name="grep", result=outcome)
        StoredResult.objects.create(space=space, run=run, call_id="a", text=text)
        assert run.answer is not None
        SentenceVerdict.objects.create(
            space=space,
            message=run.answer,
            index=0,
            start=0,
            end=4,
            state="unsupported",
            method="words",
            reasons=[{"code": "number_differs", "claimed": text, "found": text}],
        )
        blob = MessageBlob.objects.create(
            space=space, content_hash=uuid4().hex, content={"role": "tool", "content": text}
        )
        run.loop_state = {"messages": [blob.content_hash], "question": "What stands there?"}
        run.save(update_fields=["loop_state"])
        question = {
            "key": "1",
            "text": f"More of {text}?",
            "source": "knowledge",
            "document_ids": [str(document.pk)],
        }
        for message in (run.answer, None):
            SuggestionSet.objects.create(
                space=space,
                agent=run.agent,
                user=user,
                message=message,
                place="follow_up",
                config_hash="x",
                locale="en",
                questions=[question],
            )
        chunk_id = uuid4()
        EvidenceRow.objects.create(
            space=space,
            origin_id=run.answer_id or "",
            marker=1,
            base_id=document.base_id,
            document_id=document.pk,
            document_name=document.name,
            document_revision=1,
            chunk_id=chunk_id,
            chunk_hash="c" * 64,
            heading_path=[text],
            text=text,
        )
    make_artifact(run, content=f"# {text}")
    return run


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_document_is_erased_from_all_spaces_and_every_column(
    olivia: Persona,
    cora: Persona,
    mallory: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    document = put_document(cora, name=f"{SECRET}.txt", text=f"The word is {SECRET}.")
    here = answer_from(document, user=cora.user, space=cora.space, text=SECRET)
    guest = answer_from(document, user=mallory.user, space=mallory.space, text=SECRET)
    make_memory(cora.space, user=cora.user, text=f"Knows {SECRET}", document_ids=[str(document.pk)])
    make_familiar(cora.space, user=cora.user, document=document)
    with space_scope(cora.space.pk):
        record_audit(olivia.actor, "document.restrict", target=document)
    assert len(find_text(SECRET, with_files=True)) > 12

    row = request_erasure(boss, kind="document", subject_id=str(document.pk), reason="asked for")
    carry_out(django_capture_on_commit_callbacks)

    assert find_text(SECRET, with_files=True) == []
    row.refresh_from_db()
    assert row.state == "done"
    assert row.report["erased"]["knowledge.Document"] == 1
    assert row.report["erased"]["files"] == 1
    assert row.report["erased"]["agents.MemoryItem"] == 1
    with unscoped(reason="the test looks into both spaces"):
        for run in (here, guest):
            assert AgentRun.objects.get(pk=run.pk).answer.text == NOTE  # type: ignore[union-attr]
            evidence = EvidenceRow.objects.get(origin_id=run.answer_id or "")
            assert (evidence.text, evidence.chunk_hash) == ("", "c" * 64)


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_what_others_wrote_without_the_document_stays(
    cora: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    gone = put_document(cora, name="gone.txt", text=SECRET)
    kept = put_document(cora, name="kept.txt", text=OTHER)
    answer_from(gone, user=cora.user, space=cora.space, text=SECRET)
    run = answer_from(kept, user=cora.user, space=cora.space, text=OTHER)
    before = {each.place: each.count for each in find_text(OTHER, with_files=True)}

    request_erasure(boss, kind="document", subject_id=str(gone.pk))
    carry_out(django_capture_on_commit_callbacks)

    after = {each.place: each.count for each in find_text(OTHER, with_files=True)}
    assert after == before
    with space_scope(cora.space.pk):
        assert AgentRun.objects.get(pk=run.pk).loop_state["messages"]
        assert Document.objects.filter(pk=kept.pk).exists()
        assert TermStatistic.objects.get(base_id=kept.base_id, term="").chunk_count == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_the_file_of_another_document_with_the_same_bytes_stays(
    cora: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    first = put_document(cora, name="one.txt", text=OTHER)
    second = put_document(cora, name="two.txt", text=OTHER)
    row = request_erasure(boss, kind="document", subject_id=str(first.pk))
    carry_out(django_capture_on_commit_callbacks)
    row.refresh_from_db()
    assert row.report["erased"]["files kept for other documents"] == 1
    digest = second.content_hash
    assert default_storage.exists(f"spaces/{cora.space.pk}/files/{digest[:2]}/{digest}")


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_person_is_erased_with_what_is_theirs_and_named_nowhere(
    olivia: Persona,
    cora: Persona,
    mallory: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    user = make_user(f"{SECRET}@example.org", name=f"Quentin {SECRET.title()}")
    persona = Persona(membership=make_member(olivia.space, user=user))
    Membership.objects.create(space=mallory.space, user=user, role=Role.VIEWER)
    document = put_document(persona, name="plan.txt", text=OTHER)
    answer_from(document, user=user, space=olivia.space, text=SECRET)
    make_memory(mallory.space, user=user, text=f"I am {SECRET}")
    make_invitation(mallory.space, email=user.email, role=Role.VIEWER)
    with space_scope(olivia.space.pk):
        record_audit(persona.actor, "document.add", target=document)
        record_audit(olivia.actor, "member.role", target=persona.membership, email=user.email)
    record_platform_audit(user, "login.failed", email=user.email)
    browser = Client()
    browser.force_login(user)
    assert len(find_text(SECRET)) > 10

    row = request_erasure(boss, kind="person", subject_id=str(user.pk))
    assert browser.get("/profile/").status_code == 302
    carry_out(django_capture_on_commit_callbacks)

    assert find_text(SECRET) == []
    row.refresh_from_db()
    assert (row.state, row.report["checked"], row.report["remains"]) == ("done", True, {})
    assert row.report["erased"]["agents.Conversation"] == 1
    with space_scope(olivia.space.pk):
        kept = Document.objects.get(pk=document.pk)
        assert kept.uploaded_by is None
        told = AuditEvent.objects.get(action="document.add")
        assert (told.actor_name, told.target_id) == ("A former member", str(document.pk))


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_persons_documents_go_with_them_when_that_is_asked_for(
    olivia: Persona,
    cora: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    document = put_document(cora, name="plan.txt", text=SECRET)
    answer_from(document, user=olivia.user, space=olivia.space, text=SECRET)
    request_erasure(boss, kind="person", subject_id=str(cora.user.pk), with_documents=True)
    carry_out(django_capture_on_commit_callbacks)
    assert find_text(SECRET, with_files=True) == []
    with space_scope(olivia.space.pk):
        assert Conversation.objects.filter(user=olivia.user).exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_space_is_erased_with_its_folder(
    cora: Persona,
    mallory: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    document = put_document(cora, name="plan.txt", text=SECRET)
    answer_from(document, user=cora.user, space=cora.space, text=SECRET)
    kept = put_document(mallory, name="kept.txt", text=OTHER)
    request_erasure(boss, kind="space", subject_id=str(cora.space.pk))
    carry_out(django_capture_on_commit_callbacks)
    assert not Space.objects.filter(pk=cora.space.pk).exists()
    assert find_text(SECRET, with_files=True) == []
    with space_scope(mallory.space.pk):
        assert Chunk.objects.filter(document=kept).exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("held", ["person", "space"])
def test_a_legal_hold_refuses_and_says_who_set_it(cora: Persona, boss: User, held: str) -> None:
    target = cora.user if held == "person" else cora.space
    set_legal_hold(boss, target, held=True, reason="a lawsuit")
    document = put_document(cora, name="plan.txt", text=SECRET)
    for kind, subject_id in (("person", cora.user.pk), ("document", document.pk)):
        with pytest.raises(Refused, match="legal hold, set by Boss on"):
            request_erasure(boss, kind=kind, subject_id=str(subject_id))  # type: ignore[arg-type]
    assert list(Erasure.objects.values_list("state", flat=True)) == ["held", "held"]
    assert PlatformAuditEvent.objects.filter(outcome="refused").count() == 2
    with space_scope(cora.space.pk):
        assert Document.objects.get(pk=document.pk).searchable_at is not None


@pytest.mark.django_db
def test_only_administrators_ask_for_erasures(olivia: Persona, cora: Persona) -> None:
    with pytest.raises(AccessDenied):
        request_erasure(olivia.user, kind="person", subject_id=str(cora.user.pk))


@pytest.mark.django_db
@pytest.mark.parametrize("subject_id", ["0", "x", "9f0d6a52-6f0c-4d6e-9a55-2f6b8a4c1d77"])
@pytest.mark.parametrize("kind", ["person", "document", "space"])
def test_what_is_not_there_is_said_not_to_be(boss: User, kind: str, subject_id: str) -> None:
    with pytest.raises(NotFound):
        request_erasure(boss, kind=kind, subject_id=subject_id)  # type: ignore[arg-type]


@pytest.mark.django_db
def test_the_only_owner_of_others_space_cannot_go(olivia: Persona, cora: Persona) -> None:
    with pytest.raises(Conflict, match="Space A"):
        delete_own_account(olivia.user)
    olivia.user.refresh_from_db()
    assert olivia.user.is_active


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_who_deletes_their_account_takes_the_space_that_is_theirs_alone(
    mallory: Persona, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    put_document(mallory, name="plan.txt", text=SECRET)
    delete_own_account(mallory.user)
    mallory.user.refresh_from_db()
    assert not mallory.user.is_active
    carry_out(django_capture_on_commit_callbacks)
    assert not User.objects.filter(pk=mallory.user.pk).exists()
    assert not Space.objects.filter(pk=mallory.space.pk).exists()
    assert find_text(SECRET, with_files=True) == []


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_run_that_may_still_write_is_waited_for(
    cora: Persona,
    boss: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    document = put_document(cora, name="plan.txt", text=SECRET)
    conversation = make_conversation(cora.space, user=cora.user)
    run = make_run(conversation, state="running", started_at=timezone.now() - timedelta(seconds=5))
    row = request_erasure(boss, kind="document", subject_id=str(document.pk))
    with pytest.raises(RetryJob):
        carry_out(django_capture_on_commit_callbacks)
    row.refresh_from_db()
    assert row.state == "running"
    with space_scope(cora.space.pk):
        AgentRun.objects.filter(pk=run.pk).update(state="done")
    carry_out(django_capture_on_commit_callbacks)
    row.refresh_from_db()
    assert row.state == "done"


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_a_resumed_job_does_not_count_twice(
    cora: Persona,
    boss: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    make_memory(cora.space, user=cora.user)
    row = request_erasure(boss, kind="person", subject_id=str(cora.user.pk))
    whole = run_eraser

    def dies(registered: object, subject: object) -> object:
        if getattr(registered, "name", "") == "accounts.traces":
            raise OSError("the machine went away")
        return whole(registered, subject)  # type: ignore[arg-type]

    monkeypatch.setattr(erasure_jobs, "run_eraser", dies)
    with pytest.raises(OSError, match="went away"):
        carry_out(django_capture_on_commit_callbacks)
    row.refresh_from_db()
    assert "agents.person" in row.report["finished"]
    Erasure.objects.update(state="failed")
    monkeypatch.setattr(erasure_jobs, "run_eraser", whole)
    retry_erasure(boss, erasure_id=row.pk)
    carry_out(django_capture_on_commit_callbacks)
    row.refresh_from_db()
    assert row.state == "done"
    assert row.report["erased"]["agents.MemoryItem"] == 1
    with space_scope(cora.space.pk):
        assert not MemoryItem.objects.exists()


def test_a_text_too_short_to_mean_anything_is_not_looked_for() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        find_text("ab")
