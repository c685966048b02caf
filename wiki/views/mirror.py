"""The door to the Git mirror of a wiki."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid
from wiki.services.mirror import mirror_now, switch_mirror_off, switch_mirror_on


@sensitive_post_parameters("token")
@require_POST
def wiki_mirror(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Switch the mirror on or off, change where it goes, or have it brought up to date."""
    posted = request.POST
    action = posted.get("action")
    try:
        if action == "off":
            switch_mirror_off(request.actor, base_id=base_id)
            done = _("The mirror is off. What was pushed stays where it is.")
        elif action == "now":
            mirror_now(request.actor, base_id=base_id)
            done = _("The mirror is brought up to date.")
        else:
            switch_mirror_on(
                request.actor,
                base_id=base_id,
                address=posted.get("address", ""),
                branch=posted.get("branch", ""),
                token=posted.get("token") or None,
            )
            done = _("The wiki is mirrored; the first time may take some minutes.")
    except (Invalid, Conflict) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect(f"{reverse('wiki_settings', args=[base_id])}#mirror")
