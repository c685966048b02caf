"""Use cases of a wiki's settings: switch it on for a base, read them, change them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from knowledge.constants import BaseKind
from knowledge.queries import get_base
from providers.constants import ModelType
from providers.models import AIModel
from wiki.models import WikiSettings
from wiki.queries import get_wiki

CHANGEABLE = (
    *("is_enabled", "review", "required_approvals", "auto_approve", "build_mode", "granularity"),
    *("model_id", "language", "content_instructions", "extraction_instructions", "batch_size"),
    *("map_parallel", "reduce_parallel", "max_batches", "keep_pipeline_revisions"),
    "keep_revisions",
)
_LEAST_AND_MOST = {
    "required_approvals": (1, 5),
    "batch_size": (1, 50),
    "map_parallel": (1, 50),
    "reduce_parallel": (1, 50),
    "max_batches": (1, 20),
    "keep_pipeline_revisions": (1, 10_000),
    "keep_revisions": (1, 10_000),
}


def enable_wiki(actor: Actor, *, base_id: UUID) -> WikiSettings:
    """Give a base a wiki, or switch the one it had on again; pages come back as they were.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Conflict: the base holds questions and answers, and no documents.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    if base.kind == BaseKind.FAQ:
        raise Conflict(_("A base of questions and answers has no wiki."))
    with transaction.atomic():
        row, made = WikiSettings.objects.get_or_create(
            base=base, defaults={"space_id": base.space_id}
        )
        if made or not row.is_enabled:
            row.is_enabled = True
            row.save(update_fields=["is_enabled", "updated_at"])
            record_audit(actor, "wiki.enable", target=row, base_id=base.pk)
    return row


def disable_wiki(actor: Actor, *, base_id: UUID) -> WikiSettings:
    """Switch a base's wiki off: nobody meets it, nothing is deleted.

    Raises:
        NotFound, AccessDenied: as `require` has it; or there is none.
    """
    return update_settings(actor, base_id=base_id, is_enabled=False)


def find_settings(actor: Actor, *, base_id: UUID) -> WikiSettings | None:
    """Return the settings of a base's wiki, also of one that is switched off; None: it has none.

    Raises:
        NotFound: there is no such base, or it is not for the actor.
    """
    base = get_base(actor, base_id)
    return WikiSettings.objects.filter(base=base).select_related("base", "model").first()


def update_settings(actor: Actor, *, base_id: UUID, **changes: Any) -> WikiSettings:
    """Change the named settings (of `CHANGEABLE`); the others stay.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: a setting is unknown, or its value cannot be used; `data["fields"]` says which.
    """
    row = get_wiki(actor, base_id)
    require(actor, "change", row)
    _refuse_unknown(changes)
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    _check(actor, row)
    changed = sorted(name for name in changes if getattr(row, name) != before[name])
    if not changed:
        return row
    with transaction.atomic():
        row.save(update_fields=[*changed, "updated_at"])
        record_audit(actor, "wiki.settings", target=row, base_id=base_id, changed=changed)
    return row


def _refuse_unknown(changes: dict[str, Any]) -> None:
    unknown = sorted(set(changes) - set(CHANGEABLE))
    if unknown:
        raise Invalid(
            _("%(name)r is no setting of a wiki; there are: %(known)s.")
            % {"name": unknown[0], "known": ", ".join(CHANGEABLE)}
        )


def _check(actor: Actor, row: WikiSettings) -> None:
    """Raise Invalid with every field that cannot be used."""
    problems: dict[str, list[str]] = {}
    try:
        row.clean_fields(exclude=("base", "space", "model", "auto_approve"))
    except ValidationError as error:
        problems.update(error.message_dict)
    for name, (least, most) in _LEAST_AND_MOST.items():
        value = getattr(row, name)
        if name not in problems and not least <= value <= most:
            problems[name] = [
                _("A number from %(least)s to %(most)s.") % {"least": least, "most": most}
            ]
    if not _are_names(row.auto_approve):
        problems["auto_approve"] = [_("A list of the names of rules.")]
    models = AIModel.objects.filter(space_id=actor.space_id, type=ModelType.CHAT)
    if row.model_id is not None and not models.filter(pk=row.model_id).exists():
        problems["model"] = [_("There is no such chat model in this space.")]
    if problems:
        raise Invalid(
            " ".join(text for texts in problems.values() for text in texts), fields=problems
        )


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
