"""A base's settings as a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import Invalid
from knowledge.models import Document, KnowledgeBase

Name = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
Fusion = Literal["coverage", "rrf", "dense", "keyword", "best"]
"""How the lists of a search become one; see `knowledge.retrieval.fuse`."""


class ParsingOptions(BaseModel):
    """How files are read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    engines: dict[Name, Name] = Field(default_factory=dict, max_length=60)
    """By our name of a file type, the engine to ask first; see `knowledge.ingest.parse.engines`."""


class SplitOptions(BaseModel):
    """How documents are cut into chunks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_characters: int = Field(default=1200, ge=200, le=7500)
    overlap_characters: int = Field(default=0, ge=0, le=1000)
    strategy: Literal["auto", "heading", "heuristic", "recursive"] = "auto"
    """Where passages may begin; see `knowledge.ingest.tiers`."""
    token_limit: int = Field(default=0, ge=0, le=4000)
    """Takes the place of `size_characters` where it is not 0."""
    language: Literal["auto", "en", "de", "zh", "mixed"] = "auto"
    """How long tokens are."""
    parents: bool = False
    """Whether small passages are searched and the sections around them are read."""
    parent_characters: int = Field(default=4096, ge=512, le=20_000)
    child_characters: int = Field(default=384, ge=100, le=2000)


class RetrievalOptions(BaseModel):
    """How the base is searched."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, le=50)
    """Hits a search returns."""
    keyword_weight: float = Field(default=2.0, ge=0, le=10)
    """Weight of idf coverage against the normalised dense score (measured: 2)."""
    rerank: Literal["auto", "always", "never"] = "auto"
    fusion: Fusion = "coverage"
    rrf_k: int = Field(default=60, ge=1, le=1000)
    """Of reciprocal rank fusion: the higher, the less the first places count."""
    dense_threshold: float = Field(default=0.0, ge=0, le=1)
    """Least cosine with which meaning alone names a passage; 0: any."""
    keyword_threshold: float = Field(default=0.0, ge=0, le=1)
    """Least coverage with which words alone name a passage; 0: any."""
    rerank_threshold: float = Field(default=0.0, ge=0, le=1)
    """Least score of the rerank model; 0: any. See `knowledge.retrieval.rerank.drop_below`."""
    mmr_lambda: float = Field(default=1.0, ge=0, le=1)
    """Share of relevance against difference from the hits before; 1: relevance alone."""
    faq_weight: float = Field(default=1.0, ge=0, le=5)
    """Factor of the scores of questions and answers, which stay within 1 (measured: 1)."""
    wiki_weight: float = Field(default=1.0, ge=0, le=5)
    """The same of the wiki's pages."""
    graph: bool = False
    """Whether passages are found through the entities of the question, too."""
    graph_hops: int = Field(default=1, ge=1, le=3)
    graph_weight: float = Field(default=1.0, ge=0, le=10)
    """Against the weight of meaning, which is 1."""
    neighbours: int = Field(default=1, ge=0, le=5)
    """Passages on each side that are read with a short one; 0: none."""


class FaqOptions(BaseModel):
    """How the entries of a base of questions and answers are found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index_mode: Literal["question_answer", "question_only"] = "question_answer"
    """Whether the words of the answers count, too."""
    question_index: Literal["combined", "separate"] = "combined"
    """Whether all questions of an entry are one passage, or one each."""


class EnrichmentOptions(BaseModel):
    """What a model adds to documents once they are found; each costs calls of the chat model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary: bool = Field(default=True, description="Some sentences about each document.")
    tables: bool = Field(
        default=True, description="What CSV and Excel tables and their columns are about."
    )
    questions: bool = Field(
        default=False, description="Questions that each passage answers: more is found, at a price."
    )
    questions_per_passage: int = Field(default=3, ge=1, le=10)
    captions: bool = Field(
        default=True, description="What pictures show, by the space's vision model."
    )
    tags: bool = Field(default=False, description="Put existing tags on untagged documents.")
    tags_most: int = Field(default=3, ge=1, le=10)


class GraphOptions(BaseModel):
    """What a model reads out of passages into the base's graph; each passage costs a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    is_enabled: bool = Field(
        default=False, description="People, things and how they are related, read by a model."
    )
    entity_kinds: str = Field(default="", max_length=1000)
    """Comma-separated; blank: whatever the model finds. Others are left out."""
    relation_kinds: str = Field(default="", max_length=1000)
    """Comma-separated, alike."""
    example: str = Field(default="", max_length=4000)
    """A text and what is to be read out of it, in the owner's words; shown to the model."""

    @property
    def wanted_entities(self) -> tuple[str, ...]:
        """The kinds of entities that are taken; none: all."""
        return _listed(self.entity_kinds)

    @property
    def wanted_relations(self) -> tuple[str, ...]:
        """The kinds of relations that are taken; none: all."""
        return _listed(self.relation_kinds)


class BaseSettings(BaseModel):
    """Everything that a base's owner may set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    parsing: ParsingOptions = ParsingOptions()
    split: SplitOptions = SplitOptions()
    retrieval: RetrievalOptions = RetrievalOptions()
    faq: FaqOptions = FaqOptions()
    enrichment: EnrichmentOptions = EnrichmentOptions()
    graph: GraphOptions = GraphOptions()


def base_settings_of(base: KnowledgeBase) -> BaseSettings:
    """Read the settings of a base; what it does not set has its default."""
    return BaseSettings.model_validate(base.options)


def document_settings_of(document: Document) -> BaseSettings:
    """Read the settings of a document: what its upload sets goes before what its base has.

    Raises:
        Invalid: they do not go together any more; says which one.
    """
    try:
        return BaseSettings.model_validate(merged(document.base.options, document.processing))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise Invalid(
            _(
                "The setting “%(name)s” of this document cannot be used: %(detail)s. Change the"
                " document’s settings, then read it again."
            )
            % {"name": name, "detail": problem["msg"]}
        ) from error


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two parts of a dump as one; what `above` says holds, level by level."""
    result = dict(below)
    for name, value in above.items():
        under = result.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            result[name] = merged(under, value)
        else:
            result[name] = value
    return result


def _listed(text: str) -> tuple[str, ...]:
    parts = (" ".join(part.split()) for part in text.replace("，", ",").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))
