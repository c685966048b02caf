"""What a picture says and shows: OCR offline, and a caption by the space's vision model."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from django.utils.translation import gettext as _

from core.errors import NotFound, ProjectError
from knowledge.enrich.asking import Wish, ask_text
from knowledge.enrich.material import about
from knowledge.enrich.registry import Enriching
from knowledge.ingest.ocr import ocr_pages
from knowledge.models import Chunk, DocumentPicture
from knowledge.pictures.keeping import PICTURES_FOLDER
from knowledge.prompts import knowledge_prompt
from knowledge.storage import local_copy, open_file
from knowledge.text.pictures import without_references
from providers.constants import ModelType
from providers.contracts.chat import ImagePart
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.models import default_model

LONGEST_TEXT = 4_000
LONGEST_CAPTION = 1_000
_AROUND = 1_500
"""Characters of the passage that a vision model reads beside the picture."""
_CAPTION_TOKENS = 400
_WORDS = re.compile(r"\w", re.UNICODE)
_FEWEST_LETTERS = 3
NOTHING = "NOTHING"
"""What the prompt has a model answer to a picture that only decorates."""


def text_of_picture(row: DocumentPicture, *, should_cancel: Callable[[], bool]) -> str:
    """Return the words in a picture, read offline; blank where there are none.

    Raises:
        ParseCancelled: `should_cancel` returned True.
        HelperUnavailable: the OCR process does not start.
    """
    with local_copy(row.space_id, row.content_hash, folder=PICTURES_FOLDER) as path:
        blocks = ocr_pages(path, (1,), should_cancel=should_cancel).get(1, ())
    text = "\n\n".join(block.markdown for block in blocks).strip()[:LONGEST_TEXT]
    return text if len(_WORDS.findall(text)) >= _FEWEST_LETTERS else ""


def vision_model(space_id: int) -> AIModel:
    """Return the model that looks at pictures: the space's own for that, else a chat model that can.

    Raises:
        ProjectError: there is none; says what to do.
    """
    try:
        return default_model(space_id, ModelType.VISION)
    except NotFound:
        pass
    try:
        row = default_model(space_id, ModelType.CHAT)
    except NotFound:
        row = None
    if row is not None and read_parameters(row.parameters).supports_images:
        return row
    raise NotFound(
        _("Pictures are not described: connect a vision model under Models, then read it again.")
    )


def why_not_described(space_id: int) -> str:
    """Return why pictures of this space get no captions; blank when they do."""
    try:
        vision_model(space_id)
    except ProjectError as reason:
        return reason.message
    return ""


def caption_of_picture(enriching: Enriching, row: DocumentPicture, passage: Chunk) -> str:
    """Return what a picture shows, by the vision model; blank where it only decorates.

    Raises:
        ModelError, ProjectError, BatchPaused, JobCancelled: as for `ask_text`.
    """
    with open_file(row.space_id, row.content_hash, folder=PICTURES_FOLDER) as stored:
        content = stored.read()
    image = ImagePart(
        media_type=row.media_type, data_base64=base64.b64encode(content).decode("ascii")
    )
    wish = Wish(
        instructions=knowledge_prompt("picture").render(),
        material=_material(enriching, row, passage),
        purpose="pictures",
        max_tokens=_CAPTION_TOKENS,
        images=(image,),
    )
    answer = ask_text(enriching, wish, row=vision_model(row.space_id)).strip()
    if answer.strip(" .\"'`").upper() == NOTHING:
        return ""
    return " ".join(answer.split())[:LONGEST_CAPTION]


def _material(enriching: Enriching, row: DocumentPicture, passage: Chunk) -> str:
    parts = [about(enriching.document)]
    if passage.heading_path:
        parts.append("Section: " + " › ".join(passage.heading_path))
    if row.alternative_text:
        parts.append(f"What the file says about it: {row.alternative_text}")
    parts.append(f"Text around it:\n{without_references(passage.text)[:_AROUND]}")
    return "\n\n".join(parts)
