"""The part about the Git mirror of a wiki's settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.access import Actor
from knowledge.stored_reasons import told
from wiki.constants import MirrorState
from wiki.mirror.git import git_program
from wiki.models import WikiSettings
from wiki.services.mirror import find_mirror


class MirrorForm(forms.Form):
    """Where a wiki is mirrored to."""

    address = forms.CharField(
        label=gettext_lazy("Address of the repository"),
        max_length=500,
        required=False,
        widget=forms.TextInput({"placeholder": "https://", "inputmode": "url"}),
        help_text=gettext_lazy(
            "Begins with https://. Left blank, the mirror stays on this server."
        ),
    )
    branch = forms.CharField(label=gettext_lazy("Branch"), max_length=100)
    token = forms.CharField(
        label=gettext_lazy("Token"),
        max_length=1000,
        required=False,
        strip=True,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        help_text=gettext_lazy(
            "One that may write to this repository and nothing else; with a name as name:token. It"
            " is kept encrypted and never shown. Left blank, the one that was entered stays, unless"
            " the address is another."
        ),
    )


def mirror_part(actor: Actor, row: WikiSettings) -> dict[str, Any]:
    """Return what the part shows; for those only who may share the base."""
    mirror = find_mirror(actor, base_id=row.base_id)
    is_on = mirror is not None and mirror.is_on
    initial = {
        "address": mirror.address if mirror else "",
        "branch": mirror.branch if mirror else "main",
    }
    return {
        "mirror": mirror,
        "mirror_is_on": is_on,
        "mirror_error": told(mirror.last_error) if mirror and is_on else "",
        "mirror_failed": bool(mirror and mirror.state == MirrorState.FAILED),
        "mirror_form": MirrorForm(initial=initial, auto_id="mirror_%s"),
        "has_git": bool(git_program()),
    }
