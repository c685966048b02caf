"""Tables of knowledge."""

from knowledge.models.access import (
    BaseShare,
    DocumentWall,
    RemovedDocument,
    Restriction,
    RestrictionGroupGrant,
    RestrictionUserGrant,
)
from knowledge.models.bases import KnowledgeBase
from knowledge.models.chunks import Chunk, Embedding, KeywordRow, TermStatistic
from knowledge.models.corrections import Correction, CorrectionRevision
from knowledge.models.documents import (
    Document,
    DocumentPicture,
    DocumentVersion,
    IngestBatch,
    PageHealth,
    Stage,
)
from knowledge.models.evidence import EvidenceRow
from knowledge.models.faq import FaqEntry, FaqImport, FaqQuestion
from knowledge.models.organising import BaseMark, DocumentTag, Folder, Tag

__all__ = [
    "BaseMark",
    "BaseShare",
    "Chunk",
    "Correction",
    "CorrectionRevision",
    "Document",
    "DocumentPicture",
    "DocumentTag",
    "DocumentVersion",
    "DocumentWall",
    "Embedding",
    "EvidenceRow",
    "FaqEntry",
    "FaqImport",
    "FaqQuestion",
    "Folder",
    "IngestBatch",
    "KeywordRow",
    "KnowledgeBase",
    "PageHealth",
    "RemovedDocument",
    "Restriction",
    "RestrictionGroupGrant",
    "RestrictionUserGrant",
    "Stage",
    "Tag",
    "TermStatistic",
]
