"""What changes pages or where they are changes the mirror; what is erased leaves it with its history."""

from __future__ import annotations

import functools
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from core.tenancy import space_scope
from wiki.mirror.jobs import mirror_soon
from wiki.mirror.mirroring import make_anew
from wiki.mirror.repository import drop, folder_of
from wiki.models import WikiFolder, WikiMirror, WikiPage, WikiSettings
from wiki.signals import page_removed, page_written


@receiver(page_written, dispatch_uid="wiki.mirror.written")
@receiver(page_removed, dispatch_uid="wiki.mirror.removed")
def page_changed(*, page_id: UUID, **_more: Any) -> None:
    """Mirror it a little later, with what else is written until then."""
    rows = WikiMirror.objects.filter(is_on=True, base__wiki_pages__pk=page_id)
    for base_id in rows.values_list("base_id", flat=True):
        mirror_soon(base_id)


@receiver(post_save, sender=WikiFolder, dispatch_uid="wiki.mirror.folder")
@receiver(post_save, sender=WikiPage, dispatch_uid="wiki.mirror.page")
@receiver(post_save, sender=WikiSettings, dispatch_uid="wiki.mirror.settings")
def place_changed(
    *,
    instance: WikiFolder | WikiPage | WikiSettings,
    update_fields: frozenset[str] | None,
    **_more: Any,
) -> None:
    """Follow pages into other folders, and a wiki that is switched off and on."""
    if isinstance(instance, WikiPage) and "folder" not in (update_fields or ()):
        return
    base_id, space_id = instance.base_id, instance.space_id
    transaction.on_commit(functools.partial(_mirror_if_on, base_id, space_id))


@receiver(post_delete, sender=WikiPage, dispatch_uid="wiki.mirror.erased")
def page_erased(*, instance: WikiPage, **_more: Any) -> None:
    """Have the history made anew without a page that is gone for good."""
    make_anew(instance.base_id, space_id=instance.space_id)


@receiver(post_delete, sender=WikiMirror, dispatch_uid="wiki.mirror.dropped")
def mirror_erased(*, instance: WikiMirror, **_more: Any) -> None:
    """Take the repository away with its base."""
    transaction.on_commit(
        functools.partial(drop, folder_of(instance.space_id, instance.base_id)), robust=True
    )


def _mirror_if_on(base_id: UUID, space_id: int) -> None:
    with space_scope(space_id):
        if WikiMirror.objects.filter(base_id=base_id, is_on=True).exists():
            mirror_soon(base_id)
