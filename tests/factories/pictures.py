"""Pictures of documents for tests."""

from __future__ import annotations

import hashlib
import io

from PIL import Image

from core.tenancy import space_scope
from knowledge.models import Document, DocumentPicture
from knowledge.pictures.keeping import PICTURES_FOLDER
from knowledge.storage import store_file
from knowledge.text.pictures import picture_id


def picture_key(color: str = "teal") -> str:
    """Return the key that references to the picture of a color have."""
    return hashlib.sha256(color.encode()).hexdigest()[:20]


def make_picture(document: Document, *, color: str = "teal", **fields: object) -> DocumentPicture:
    """Make a picture of one color with its file; call it in the document's space."""
    content = io.BytesIO()
    Image.new("RGB", (80, 64), color).save(content, "WEBP")
    stored = store_file(document.space_id, content, folder=PICTURES_FOLDER)
    with space_scope(document.space_id):
        return DocumentPicture.objects.create(
            pk=picture_id(document.pk, picture_key(color)),
            space_id=document.space_id,
            document=document,
            content_hash=stored.content_hash,
            media_type="image/webp",
            width=80,
            height=64,
            size_bytes=stored.size_bytes,
            **fields,
        )
