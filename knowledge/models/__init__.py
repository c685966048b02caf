"""Tables of knowledge."""

from knowledge.models.access import (
    BaseShare,
    DocumentBasis,
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
from knowledge.models.evaluation import EvaluationResult, EvaluationRun, GoldenQuestion
from knowledge.models.evidence import EvidenceRow
from knowledge.models.faq import FaqEntry, FaqImport, FaqQuestion
from knowledge.models.graph import GraphEntity, GraphMention, GraphPassage, GraphRelation
from knowledge.models.organising import BaseMark, DocumentTag, Folder, Tag
from knowledge.models.reembedding import EmbeddingChange
from knowledge.models.searches import SearchRecord

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
    "DocumentBasis",
    "DocumentWall",
    "Embedding",
    "EmbeddingChange",
    "EvaluationResult",
    "EvaluationRun",
    "EvidenceRow",
    "FaqEntry",
    "FaqImport",
    "FaqQuestion",
    "Folder",
    "GraphEntity",
    "GraphMention",
    "GraphPassage",
    "GraphRelation",
    "GoldenQuestion",
    "IngestBatch",
    "KeywordRow",
    "KnowledgeBase",
    "PageHealth",
    "RemovedDocument",
    "Restriction",
    "RestrictionGroupGrant",
    "RestrictionUserGrant",
    "SearchRecord",
    "Stage",
    "Tag",
    "TermStatistic",
]
