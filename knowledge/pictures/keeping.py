"""Takes the pictures of a document out of its file and keeps them; lets go of those that it lost."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from django.conf import settings
from django.db import transaction

from accounts.services.quota import require_storage
from core.jobs.handlers import JobContext
from knowledge.ingest.pictures import MEDIA_TYPE, FoundPicture, iterate_pictures
from knowledge.models import Document, DocumentPicture
from knowledge.parsers.contract import ParsedDocument, Picture
from knowledge.services.removal import register_leftovers
from knowledge.storage import delete_file, local_copy, store_file
from knowledge.text.pictures import picture_id, references_of

PICTURES_FOLDER = "pictures"
"""Of the store. A picture is kept once a space, under the hash of its bytes."""


def pictures_in_text(parsed: ParsedDocument) -> list[Picture]:
    """Return the pictures that a document's visible text shows, as many as are kept."""
    known = {picture.key: picture for picture in parsed.pictures}
    shown = [known[each.key] for each in references_of(parsed.text) if each.key in known]
    return shown[: settings.MOST_PICTURES]


def keep_pictures(document: Document, parsed: ParsedDocument, context: JobContext) -> int:
    """Have a row and a file for each picture that the text shows, and no other; return how many.

    May run twice: what is kept already is not fetched again.

    Raises:
        ParseRefused, ParseCancelled: the file does not give them, or somebody stopped it.
        LimitReached: the space has no room for them.
        JobCancelled: the attempt is over.
    """
    wanted = {picture.key: picture for picture in pictures_in_text(parsed)}
    rows = {row.pk: row for row in DocumentPicture.objects.filter(document=document)}
    ids = {picture_id(document.pk, key): key for key in wanted}
    forget_pictures([row for pk, row in rows.items() if pk not in ids])
    missing = [key for pk, key in ids.items() if pk not in rows]
    for found in _fetched(document, parsed, missing, context):
        if found.content:
            _keep(document, wanted[found.key], found, context)
        context.check()
    return DocumentPicture.objects.filter(document=document).count()


def _fetched(
    document: Document, parsed: ParsedDocument, keys: Sequence[str], context: JobContext
) -> Iterable[FoundPicture]:
    if not keys:
        return
    # A lost key of encryption leaves something that is no text.
    password = document.password if isinstance(document.password, str) else ""
    with local_copy(document.space_id, document.content_hash) as path:
        yield from iterate_pictures(
            path,
            document.name,
            engine=parsed.parser.partition("/")[0],
            keys=keys,
            password=password,
            should_cancel=lambda: context.cancelled,
        )


def _keep(document: Document, picture: Picture, found: FoundPicture, context: JobContext) -> None:
    content_hash = hashlib.sha256(found.content).hexdigest()
    if DocumentPicture.objects.filter(document=document, content_hash=content_hash).exists():
        return  # the same pixels in two files: its words stand for the second
    require_storage(document.space_id, more_bytes=len(found.content))
    store_file(document.space_id, io.BytesIO(found.content), folder=PICTURES_FOLDER)
    box = picture.box
    with transaction.atomic():
        context.check_lease()
        DocumentPicture.objects.bulk_create(
            [
                DocumentPicture(
                    pk=picture_id(document.pk, picture.key),
                    space_id=document.space_id,
                    document=document,
                    content_hash=content_hash,
                    media_type=MEDIA_TYPE,
                    width=found.width,
                    height=found.height,
                    size_bytes=len(found.content),
                    page=picture.page,
                    box=None if box is None else vars(box),
                    alternative_text=picture.words,
                )
            ],
            ignore_conflicts=True,
        )


def forget_pictures(rows: Sequence[DocumentPicture]) -> None:
    """Delete pictures with the texts that were made of them; their files, unless shared."""
    if not rows:
        return
    with transaction.atomic():
        DocumentPicture.objects.filter(pk__in=[row.pk for row in rows]).delete()
        for row in rows:
            release_picture(row.space_id, row.content_hash)


def release_picture(space_id: int, content_hash: str) -> None:
    """Remove a picture from the store on commit, when no document of the space shows it."""
    same = DocumentPicture.objects.filter(space_id=space_id, content_hash=content_hash)
    if not same.exists():
        transaction.on_commit(partial(delete_file, space_id, content_hash, folder=PICTURES_FOLDER))


@register_leftovers
def _pictures(document: Document) -> Callable[[], None]:
    """Return what removes the pictures of a document from the store, unless they are shared."""
    hashes = list(
        DocumentPicture.objects.filter(document=document).values_list("content_hash", flat=True)
    )
    space_id = document.space_id

    def remove() -> None:
        for content_hash in hashes:
            release_picture(space_id, content_hash)

    return remove
