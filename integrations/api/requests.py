"""What the API takes: the reference's bodies. Fields that change nothing here are let pass unread."""

from __future__ import annotations

from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.request import Request

S = TypeVar("S", bound="serializers.Serializer[Any]")


class ChunkingRequest(serializers.Serializer[Any]):
    """How a base cuts documents."""

    chunk_size = serializers.IntegerField(required=False, min_value=200, max_value=7500)
    chunk_overlap = serializers.IntegerField(required=False, min_value=0, max_value=1000)


class BaseRequest(serializers.Serializer[Any]):
    """A new base."""

    name = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    type = serializers.ChoiceField(choices=["document"], required=False)
    chunking_config = ChunkingRequest(required=False)


class BaseConfigRequest(serializers.Serializer[Any]):
    """What of a base's configuration is changed."""

    chunking_config = ChunkingRequest(required=False)


class BaseChangeRequest(serializers.Serializer[Any]):
    """A base's new name and settings; what is left out stays."""

    name = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    config = BaseConfigRequest(required=False)


class FileRequest(serializers.Serializer[Any]):
    """A file to put into a base, as multipart/form-data."""

    file = serializers.FileField(allow_empty_file=True, max_length=None)
    fileName = serializers.CharField(  # noqa: N815  the reference's spelling
        required=False, allow_blank=True, max_length=1200
    )
    """Its name, with folders before it if it has some; else the file's own."""


class SearchRequest(serializers.Serializer[Any]):
    """A search; without bases in all that the caller sees."""

    query = serializers.CharField(max_length=2000)
    knowledge_base_id = serializers.UUIDField(required=False)
    knowledge_base_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=200
    )
    knowledge_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=200
    )
    tag_ids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=10**18),
        required=False,
        max_length=100,
    )
    """One of these tags is on the document."""
    filter = serializers.DictField(required=False, allow_empty=False)
    """Which documents: `knowledge.retrieval.filter_values.Filter` as JSON."""


class SessionRequest(serializers.Serializer[Any]):
    """A new session, or its new title."""

    title = serializers.CharField(required=False, allow_blank=True, max_length=200)


class StopRequest(serializers.Serializer[Any]):
    """Which answer to stop."""

    message_id = serializers.UUIDField()


class MentionRequest(serializers.Serializer[Any]):
    """Something that a question names."""

    id = serializers.UUIDField()
    type = serializers.ChoiceField(choices=["kb", "file"])


class ChatRequest(serializers.Serializer[Any]):
    """A question."""

    query = serializers.CharField(trim_whitespace=False)
    agent_id = serializers.CharField(required=False, allow_blank=True, max_length=80)
    knowledge_base_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=200
    )
    knowledge_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=20
    )
    mentioned_items = MentionRequest(many=True, required=False)


def read(request: Request, shape: type[S]) -> dict[str, Any]:
    """Return the checked body of a request.

    Raises:
        ValidationError: a field is missing or wrong.
    """
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    checked: dict[str, Any] = body.validated_data
    return checked
