"""A space with a base into which a benchmark puts files, through the same service as people."""

from __future__ import annotations

import random
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F

from accounts.access import Actor
from accounts.actors import actor_by
from accounts.constants import Role
from accounts.models import Membership, Space, User
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.constants import (
    OPEN_STATES,
    ChunkKind,
    DocumentState,
    StageName,
    StageState,
)
from knowledge.jobs import INGEST_DOCUMENT
from knowledge.models import (
    Chunk,
    Document,
    Embedding,
    KeywordRow,
    KnowledgeBase,
    Stage,
    TermStatistic,
)
from knowledge.services.bases import create_base
from knowledge.services.documents import add_document
from providers.constants import ModelType, Provider
from providers.models import AIModel

_STEPS = (StageName.PARSE, StageName.SPLIT, StageName.EMBED, StageName.INDEX)
_WORDS = [
    "harbour",
    "lamp",
    "pier",
    "rope",
    "keeper",
    "night",
    "store",
    "office",
    "boat",
    "crane",
    "winch",
    "gate",
    "signal",
    "barrel",
    "anchor",
    "ledger",
    "tide",
    "fog",
    "bell",
    "chain",
    "deck",
    "hull",
    "mast",
    "sail",
    "stern",
    "cabin",
    "cargo",
    "port",
    "quay",
    "wharf",
    "buoy",
]


@dataclass(frozen=True)
class File:
    """A file to put in."""

    name: str
    content: bytes


class Library:
    """One space, its base, and what stands in it."""

    def __init__(self, name: str, *, embedding_address: str) -> None:
        user = User.objects.create_user(f"{name.lower()}@example.org", None, name=name)
        space = Space.objects.create(name=f"Space {name}", created_by=user)
        membership = Membership.objects.create(space=space, user=user, role=Role.OWNER)
        self.space_id = space.pk
        self._actor: Actor = actor_by(membership)
        with space_scope(space.pk):
            AIModel.objects.create(
                space=space,
                name="Vectors",
                type=ModelType.EMBEDDING,
                provider=Provider.OPENAI_COMPATIBLE,
                base_url=embedding_address,
                model_id="vectors",
                is_default=True,
            )
            self.base: KnowledgeBase = create_base(self._actor, name=name)

    def add(self, file: File) -> UUID:
        """Put a file in; return the document's id."""
        with space_scope(self.space_id):
            return add_document(
                self._actor, base_id=self.base.pk, name=file.name, content=file.content
            ).pk

    def is_searchable(self, document_id: UUID) -> bool:
        """Say whether the document can be found."""
        with space_scope(self.space_id):
            return Document.objects.filter(pk=document_id, searchable_at__isnull=False).exists()

    def open_documents(self) -> int:
        """Return how many documents are not done."""
        with space_scope(self.space_id):
            return Document.objects.filter(state__in=OPEN_STATES).count()

    def states(self) -> dict[str, int]:
        """Return how many documents there are in each state."""
        with space_scope(self.space_id):
            rows = Document.objects.order_by().values_list("state").annotate(Count("pk"))
            return {str(state): count for state, count in rows}

    def counts(self) -> dict[str, int]:
        """Return how many passages, vectors and keyword rows there are, and repeated jobs."""
        with space_scope(self.space_id):
            jobs = BackgroundJob.objects.filter(space_id=self.space_id, name=INGEST_DOCUMENT.name)
            return {
                "passages": Chunk.objects.exclude(kind=ChunkKind.PARENT).count(),
                "vectors": Embedding.objects.count(),
                "keyword rows": KeywordRow.objects.count(),
                "documents whose worker died": jobs.filter(attempt__gt=1).count(),
            }

    def broken_promises(self) -> list[str]:
        """Return what is wrong: ends without a reason, passages missing, twice, or miscounted."""
        with space_scope(self.space_id):
            silent = Document.objects.exclude(state=DocumentState.COMPLETED).filter(reason="")
            found = [f"no reason: {row.name} is {row.state}" for row in silent]
            found += [
                f"not done: {row.name}" for row in Document.objects.filter(state__in=OPEN_STATES)
            ]
            done = Document.objects.filter(state=DocumentState.COMPLETED)
            found += [f"empty: {row.name}" for row in done.filter(chunk_count=0)]
            found += _miscounted()
            passages = Chunk.objects.exclude(kind=ChunkKind.PARENT).filter(
                document__state=DocumentState.COMPLETED
            )
            unended = Stage.objects.filter(state=StageState.RUNNING, name__in=_STEPS)
            found += [
                f"step {row.name} of {row.document.name} never ended"
                for row in unended.exclude(document__state__in=OPEN_STATES).select_related(
                    "document"
                )
            ]
            for missing in ("embeddings", "keywords"):
                count = passages.filter(**{f"{missing}__isnull": True}).count()
                found += [f"{count} passages without {missing}"] if count else []
            indexed = TermStatistic.objects.filter(base=self.base, term="")
            total = indexed.values_list("chunk_count", flat=True).first() or 0
            if total != passages.count():
                found.append(f"{total} passages are counted, {passages.count()} are there")
        return found


def _miscounted() -> list[str]:
    rows = (
        Document.objects.filter(state=DocumentState.COMPLETED, chunks__kind=ChunkKind.TEXT)
        .annotate(rows=Count("chunks"), places=Count("chunks__position", distinct=True))
        .exclude(rows=F("chunk_count"), places=F("chunk_count"))
    )
    return [f"passages of {row.name}: {row.chunk_count} expected" for row in rows]


def make_file(number: int, chance: random.Random, *, words: int = 120) -> File:
    """Make a small text file that no other one equals."""
    text = " ".join(chance.choices(_WORDS, k=words))
    return File(f"note-{number}.txt", f"Note {number}.\n\n{text}.\n".encode())


def make_mixed_file(number: int, chance: random.Random) -> File:
    """Make a file of some kind: most are read, some are empty, damaged or not what they seem."""
    words = " ".join(chance.choices(_WORDS, k=chance.randint(30, 900)))
    rows = "\n".join(f"{n},{chance.choice(_WORDS)},{chance.random()}" for n in range(60))
    kinds = {
        "txt": f"{number} {words}",
        "md": f"# Note {number}\n\n{words}\n\n## More\n\n{words}",
        "csv": f"number,word{number},value\n{rows}",
        "html": f"<html><body><h1>{number}</h1><p>{words}</p></body></html>",
        "json": f'{{"number": {number}, "text": "{words}"}}',
        "pdf": f"%PDF-1.4 {number} broken",
        "docx": f"MZ{number}",
        "log": "",
    }
    weights = (4, 4, 3, 3, 2, 1, 1, 1)
    kind = chance.choices(list(kinds), weights)[0]
    return File(f"file-{number}.{kind}", kinds[kind].encode())
