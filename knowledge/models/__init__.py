"""Tables of knowledge."""

from knowledge.models.bases import KnowledgeBase
from knowledge.models.chunks import Chunk, Embedding, KeywordRow, TermStatistic
from knowledge.models.documents import Document, Stage
from knowledge.models.evidence import EvidenceRow

__all__ = [
    "Chunk",
    "Document",
    "Embedding",
    "EvidenceRow",
    "KeywordRow",
    "KnowledgeBase",
    "Stage",
    "TermStatistic",
]
