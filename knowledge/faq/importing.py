"""Use cases of imports: start one, stop it, put its result away, get what failed."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, TooLarge
from core.jobs.enqueue import cancel_job, enqueue
from knowledge.access.fit import lock_base
from knowledge.constants import ImportMode
from knowledge.faq.columns import COLUMNS, safe_cell
from knowledge.faq.jobs import IMPORT_ENTRIES
from knowledge.faq.queries import get_import
from knowledge.faq.services import get_faq_base
from knowledge.faq.writing import document_of
from knowledge.models import FaqImport
from knowledge.names import clean_file_name
from knowledge.storage import delete_file, store_file
from knowledge.stored_reasons import told

IMPORT_FOLDER = "faq-imports"
"""Of the store: files wait here while they are imported."""


def start_import(
    actor: Actor,
    *,
    base_id: UUID,
    name: str,
    content: BinaryIO,
    mode: ImportMode,
    is_dry_run: bool = False,
) -> FaqImport:
    """Keep the file and have a job import it; returns the import with its progress.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        TooLarge: the file is over `MAX_UPLOAD_BYTES`.
        Invalid: it is empty.
        Conflict: the base has an import that is not done.
    """
    base = get_faq_base(actor, base_id)
    require(actor, "edit", base)
    size = content.seek(0, io.SEEK_END)
    if size > settings.MAX_UPLOAD_BYTES:
        raise TooLarge(
            _("The file has %(n)s bytes; at most %(most)s can be uploaded. Split it.")
            % {"n": f"{size:,}", "most": f"{settings.MAX_UPLOAD_BYTES:,}"}
        )
    if not size:
        raise Invalid(_("The file is empty; choose another."))
    with transaction.atomic():
        lock_base(base.pk)
        if FaqImport.objects.filter(base=base, ended_at__isnull=True).exists():
            raise Conflict(
                _(
                    "An import into this knowledge base is running; wait until it is done, or stop it."
                )
            )
        document_of(base)
        row = FaqImport.objects.create(
            space_id=base.space_id,
            base=base,
            mode=mode,
            is_dry_run=is_dry_run,
            file_name=clean_file_name(name, folder_path="").name,
            content_hash=store_file(base.space_id, content, folder=IMPORT_FOLDER).content_hash,
            created_by_id=actor.user_id,
        )
        row.job_id = enqueue(IMPORT_ENTRIES, import_id=str(row.pk))
        row.save(update_fields=["job_id"])
        record_audit(
            actor,
            "faq.import_start",
            target=base,
            base_id=base.pk,
            mode=str(mode),
            dry_run=is_dry_run,
        )
    return row


def stop_import(actor: Actor, *, import_id: UUID) -> FaqImport:
    """Stop an import; what it has done until now stays.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is done.
    """
    row = get_import(actor, import_id)
    require(actor, "change", row)
    with transaction.atomic():
        row = FaqImport.objects.select_for_update().get(pk=row.pk)
        if row.ended_at is not None:
            raise Conflict(_("The import is done already."))
        if row.job_id is not None:
            cancel_job(row.job_id)
        end_import(row, reason=gettext_noop("It was stopped. What was imported until then stays."))
        record_audit(actor, "faq.import_stop", target=row.base, base_id=row.base_id, done=row.done)
    return row


def close_import(actor: Actor, *, import_id: UUID) -> None:
    """Put the result of an import away.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    row = get_import(actor, import_id)
    require(actor, "change", row)
    FaqImport.objects.filter(pk=row.pk).update(is_closed=True)


def end_import(row: FaqImport, *, reason: str = "") -> None:
    """Write that an import is over, and remove its file unless another one waits for the same."""
    row.ended_at, row.reason = timezone.now(), reason
    row.save(update_fields=["ended_at", "reason"])
    space_id, content_hash = row.space_id, row.content_hash
    waiting = FaqImport.objects.filter(content_hash=content_hash, ended_at__isnull=True)
    if not waiting.exists():
        transaction.on_commit(lambda: delete_file(space_id, content_hash, folder=IMPORT_FOLDER))


def reason_of(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with a row of the file, in the reader's language."""
    reasons = problem.get("reasons") or [problem.get("reason", "")]
    return " ".join(told(str(reason)) for reason in reasons)


def failed_rows_csv(actor: Actor, *, import_id: UUID) -> str:
    """Return the rows that failed, wholly or partly, as a CSV that can be mended and imported.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    row = get_import(actor, import_id)
    require(actor, "view", row)
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow([_("Row"), _("Problem"), *(names[0] for names in COLUMNS.values())])
    for problem in row.problems:
        cells: dict[str, Any] = problem.get("cells", {})
        texts = [str(cells.get(column, "")) for column in COLUMNS]
        writer.writerow([problem["row"], *map(safe_cell, [reason_of(problem), *texts])])
    return "\ufeff" + target.getvalue()
