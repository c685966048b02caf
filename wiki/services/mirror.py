"""Use cases of a wiki's Git mirror: on, off, now; it is off until somebody says so."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict
from wiki.constants import MirrorState
from wiki.mirror.addresses import clean_address, clean_branch, clean_token
from wiki.mirror.git import MISSING, git_program
from wiki.mirror.jobs import mirror_soon
from wiki.models import WikiMirror
from wiki.queries import get_wiki


def find_mirror(actor: Actor, *, base_id: UUID) -> WikiMirror | None:
    """Return the mirror of a base's wiki, also one that is off; None: there never was one.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
    """
    wiki = get_wiki(actor, base_id)
    require(actor, "share", wiki.base)
    return WikiMirror.objects.filter(base=wiki.base).defer("token").first()


def switch_mirror_on(
    actor: Actor, *, base_id: UUID, address: str = "", branch: str = "", token: str | None = None
) -> WikiMirror:
    """Mirror a wiki, or change where to; a blank address keeps the repository on this server.

    `token` opens the repository at the address; None keeps the one that there is, which is
    forgotten all the same when the address is another: it was not given for that one.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
        Invalid: address, branch or token cannot be used; `data["fields"]` says which.
        Conflict: there is no Git on this server.
    """
    wiki = get_wiki(actor, base_id)
    require(actor, "share", wiki.base)
    if not git_program():
        raise Conflict(_(MISSING))
    address, branch = clean_address(address), clean_branch(branch)
    with transaction.atomic():
        row, _made = WikiMirror.objects.select_for_update(of=("self",)).get_or_create(
            base=wiki.base, defaults={"space_id": wiki.space_id}
        )
        is_same = (row.address, row.branch) == (address, branch)
        if token is not None:
            row.token = clean_token(token)
        elif row.address != address:
            row.token = ""
        if not is_same:
            row.pushed_commit = ""
        row.address, row.branch, row.is_on = address, branch, True
        row.state, row.last_error = MirrorState.WAITING, ""
        row.save()
        record_audit(
            actor,
            "wiki.mirror_on",
            target=wiki.base,
            base_id=base_id,
            address=address,
            branch=branch,
            token_changed=token is not None,
        )
        mirror_soon(base_id, delay_seconds=0.0)
    return row


def switch_mirror_off(actor: Actor, *, base_id: UUID) -> None:
    """End mirroring: the repository on this server and the token go, what was pushed stays there.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
    """
    wiki = get_wiki(actor, base_id)
    require(actor, "share", wiki.base)
    with transaction.atomic():
        rows = WikiMirror.objects.filter(base=wiki.base, is_on=True)
        row = rows.select_for_update(of=("self",)).first()
        if row is None:
            return
        row.is_on, row.token, row.state, row.last_error = False, "", MirrorState.WAITING, ""
        row.save()
        record_audit(
            actor, "wiki.mirror_off", target=wiki.base, base_id=base_id, address=row.address
        )
        mirror_soon(base_id, delay_seconds=0.0)


def mirror_now(actor: Actor, *, base_id: UUID) -> None:
    """Have a mirror brought up to date without waiting.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
        Conflict: the wiki is not mirrored.
    """
    wiki = get_wiki(actor, base_id)
    require(actor, "share", wiki.base)
    rows = WikiMirror.objects.filter(base=wiki.base, is_on=True)
    if not rows.update(state=MirrorState.WAITING):
        raise Conflict(_("This wiki is not mirrored: switch its mirror on first."))
    mirror_soon(base_id, delay_seconds=0.0)
