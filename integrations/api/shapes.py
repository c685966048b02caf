"""What the API answers: the reference's fields, read from our rows."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agents.builtin import shown_description, shown_name
from agents.constants import AgentMode
from agents.models import Agent, Conversation
from knowledge.base_settings import base_settings_of
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.retrieval.hits import RetrievalHit

BUILTIN_PREFIX = "builtin-"
_PARSE_STATUS = {
    DocumentState.NEEDS_INPUT: "failed",
    DocumentState.REFUSED: "failed",
}
"""Our states that the reference does not have; the others have the same names."""
AGENT_MODES = {AgentMode.QUICK: "quick-answer", AgentMode.REACT: "smart-reasoning"}


class BaseShape(serializers.Serializer[KnowledgeBase]):
    """A knowledge base."""

    id = serializers.UUIDField()
    tenant_id = serializers.IntegerField(source="space_id")
    name = serializers.CharField()
    description = serializers.CharField()
    type = serializers.CharField(source="kind")
    creator_id = serializers.SerializerMethodField()
    creator_name = serializers.SerializerMethodField()
    embedding_model_id = serializers.SerializerMethodField()
    chunking_config = serializers.SerializerMethodField()
    knowledge_count = serializers.SerializerMethodField()
    processing_count = serializers.SerializerMethodField()
    is_processing = serializers.SerializerMethodField()
    is_temporary = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_creator_id(self, row: KnowledgeBase) -> str:
        """The person's number as text; empty for what a key made."""
        return str(row.created_by_id or "")

    def get_creator_name(self, row: KnowledgeBase) -> str:
        """What the person is called."""
        return str(row.created_by) if row.created_by else ""

    def get_embedding_model_id(self, row: KnowledgeBase) -> str:
        """The model's id."""
        return str(row.embedding_model_id or "")

    def get_chunking_config(self, row: KnowledgeBase) -> dict[str, Any]:
        """How documents are cut."""
        split = base_settings_of(row).split
        return {"chunk_size": split.size_characters, "chunk_overlap": split.overlap_characters}

    def get_knowledge_count(self, row: KnowledgeBase) -> int:
        """Documents that the caller sees."""
        return int(getattr(row, "document_total", 0))

    def get_processing_count(self, row: KnowledgeBase) -> int:
        """Documents that are being read."""
        return int(getattr(row, "open_total", 0))

    def get_is_processing(self, row: KnowledgeBase) -> bool:
        """Whether a document is being read."""
        return self.get_processing_count(row) > 0

    def get_is_temporary(self, row: KnowledgeBase) -> bool:
        """No base here is."""
        del row
        return False


class KnowledgeShape(serializers.Serializer[Document]):
    """A document."""

    id = serializers.UUIDField()
    tenant_id = serializers.IntegerField(source="space_id")
    knowledge_base_id = serializers.UUIDField(source="base_id")
    type = serializers.SerializerMethodField()
    title = serializers.CharField(source="name")
    file_name = serializers.CharField(source="name")
    file_type = serializers.CharField()
    file_size = serializers.IntegerField(source="size_bytes")
    file_hash = serializers.CharField(source="content_hash")
    folder_path = serializers.CharField()
    parse_status = serializers.SerializerMethodField()
    enable_status = serializers.SerializerMethodField()
    error_message = serializers.CharField(source="reason")
    chunk_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    processed_at = serializers.DateTimeField(source="searchable_at", allow_null=True)

    def get_type(self, row: Document) -> str:
        """Everything here is a file."""
        del row
        return "file"

    def get_parse_status(self, row: Document) -> str:
        """Where it stands."""
        return _PARSE_STATUS.get(DocumentState(row.state), row.state)

    def get_enable_status(self, row: Document) -> str:
        """Whether a search finds it."""
        return "enabled" if row.searchable_at is not None else "disabled"


class ChunkShape(serializers.Serializer[Chunk]):
    """A passage of a document."""

    id = serializers.UUIDField()
    tenant_id = serializers.IntegerField(source="space_id")
    knowledge_id = serializers.UUIDField(source="document_id")
    knowledge_base_id = serializers.UUIDField(source="base_id")
    content = serializers.CharField(source="text")
    chunk_index = serializers.IntegerField(source="position")
    chunk_type = serializers.CharField(source="kind")
    is_enabled = serializers.BooleanField()
    start_at = serializers.IntegerField(source="char_start")
    end_at = serializers.IntegerField(source="char_end")
    created_at = serializers.DateTimeField()


class HitShape(serializers.Serializer[RetrievalHit]):
    """A passage that a search found."""

    id = serializers.UUIDField(source="chunk_id")
    content = serializers.CharField(source="text")
    knowledge_id = serializers.UUIDField(source="document_id")
    knowledge_base_id = serializers.UUIDField(source="base_id")
    knowledge_title = serializers.CharField(source="document_name")
    knowledge_filename = serializers.CharField(source="document_name")
    chunk_index = serializers.IntegerField(source="position")
    chunk_type = serializers.SerializerMethodField()
    seq = serializers.IntegerField(source="rank")
    score = serializers.FloatField()
    metadata = serializers.SerializerMethodField()

    def get_chunk_type(self, hit: RetrievalHit) -> str:
        """Searches find passages of text."""
        del hit
        return "text"

    def get_metadata(self, hit: RetrievalHit) -> dict[str, str]:
        """Where it stands in its document; texts alone, as clients read them."""
        found = {"heading": " › ".join(hit.heading_path)}
        if hit.page_from is not None:
            found["page"] = str(hit.page_from)
        return {name: text for name, text in found.items() if text}


class AgentShape(serializers.Serializer[Agent]):
    """An agent."""

    id = serializers.SerializerMethodField()
    tenant_id = serializers.IntegerField(source="space_id")
    name = serializers.SerializerMethodField()
    description = serializers.SerializerMethodField()
    is_builtin = serializers.SerializerMethodField()
    is_enabled = serializers.BooleanField()
    created_by = serializers.SerializerMethodField()
    config = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_id(self, row: Agent) -> str:
        """Our id; a built-in agent is also found by `builtin-<its key>`."""
        return str(row.pk)

    def get_name(self, row: Agent) -> str:
        """In the caller's language where it is built in."""
        return shown_name(row.builtin_key, row.name)

    def get_description(self, row: Agent) -> str:
        """In the caller's language where it is built in."""
        return shown_description(row.builtin_key, row.description)

    def get_is_builtin(self, row: Agent) -> bool:
        """Whether every space has it."""
        return bool(row.builtin_key)

    def get_created_by(self, row: Agent) -> str:
        """The person's number as text; empty for what is built in or a key made."""
        return str(row.created_by_id or "")

    def get_config(self, row: Agent) -> dict[str, Any]:
        """How it works, in the reference's names."""
        return {
            **row.settings.model_dump(mode="json"),
            "agent_mode": AGENT_MODES[AgentMode(row.mode)],
            "system_prompt": row.instructions,
            "model_id": str(row.chat_model_id or ""),
            "kb_selection_mode": row.base_scope,
            "knowledge_bases": self.context.get("base_ids", {}).get(row.pk, []),
        }


class SessionShape(serializers.Serializer[Conversation]):
    """A conversation of the caller's own."""

    id = serializers.UUIDField()
    tenant_id = serializers.IntegerField(source="space_id")
    user_id = serializers.SerializerMethodField()
    title = serializers.CharField()
    description = serializers.SerializerMethodField()
    last_request_state = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField(source="last_message_at")

    def get_user_id(self, row: Conversation) -> str:
        """The person's number as text, or the name of the key or external person."""
        return str(row.user_id) if row.user_id is not None else row.principal

    def get_description(self, row: Conversation) -> str:
        """Conversations here have none."""
        del row
        return ""

    def get_last_request_state(self, row: Conversation) -> dict[str, Any]:
        """What the last question was asked with."""
        return {"agent_id": str(row.agent_id or ""), "knowledge_base_ids": row.base_ids}
