"""Texts that a document's earlier attempts left in the store, with other engines or versions."""

from __future__ import annotations

from collections.abc import Callable

from knowledge.constants import StageName
from knowledge.models import Document, Stage
from knowledge.services.removal import register_leftovers
from knowledge.storage import PARSED_FOLDER, delete_json


@register_leftovers
def _kept_texts(document: Document) -> Callable[[], None]:
    """Return what removes every text that the document's timeline names, unless it is shared."""
    stages = Stage.objects.filter(document=document, name=StageName.PARSE)
    keys = {
        key
        for detail in stages.values_list("detail", flat=True)
        if isinstance(key := detail.get("kept"), str)
    }
    space_id = document.space_id
    same = {"space_id": space_id, "content_hash": document.content_hash, "name": document.name}

    def remove() -> None:
        if not Document.objects.filter(**same).exists():
            for key in keys:
                delete_json(space_id, PARSED_FOLDER, key)

    return remove
