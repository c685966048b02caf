"""Use case: how a base is searched is set by what a test of two settings showed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Invalid
from knowledge.base_settings import RetrievalOptions, base_settings_of
from knowledge.models import KnowledgeBase
from knowledge.queries import get_base


def set_search_defaults(
    actor: Actor, *, base_id: UUID, values: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Set some of a base's options of searching; the others stay. Holds from the next search on.

    Returns what changed: by name, the value before and the one now.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: a value is out of its bounds.
    """
    require(actor, "change", get_base(actor, base_id))
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=base_id)
        whole = base_settings_of(base)
        before = whole.retrieval.model_dump(mode="json")
        known = {name: value for name, value in values.items() if name in before}
        try:
            options = RetrievalOptions.model_validate({**before, **known})
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            name = ".".join(str(part) for part in problem["loc"])
            raise Invalid(
                _("The setting “%(name)s” cannot be used: %(detail)s")
                % {"name": name, "detail": problem["msg"]}
            ) from error
        after = options.model_dump(mode="json")
        changed = {
            name: (before[name], after[name]) for name in after if before[name] != after[name]
        }
        if changed:
            base.options = whole.model_copy(update={"retrieval": options}).model_dump()
            base.save(update_fields=["options", "updated_at"])
            record_audit(
                actor,
                "base.change",
                target=base,
                base_id=base.pk,
                before={name: old for name, (old, _new) in changed.items()},
                after={name: new for name, (_old, new) in changed.items()},
            )
    return changed
