"""What a first start puts in: an administrator with a space, built-in models and agents, a sample."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.constants import Role
from accounts.models import Membership, Space, User
from accounts.platform.users_passwords import make_up_password
from agents.services.builtin import sync_builtin_agents
from core.tenancy import space_scope
from knowledge.services.bases import create_base
from knowledge.services.documents import add_document
from providers.services.builtin import sync_builtin_models

DEMO_BASE = "Demo"
_DEMO_FILES = Path(__file__).resolve().parent / "demo"


def make_first_space() -> list[str]:
    """Create administrator, space and sample base on an empty installation, once.

    The password is in the returned lines and nowhere else. Who deletes the sample does not get it
    back: this does nothing as soon as there is a person.
    """
    if User.objects.exists():
        return []
    password = make_up_password()
    user = User.objects.create_superuser(settings.FIRST_ADMIN_EMAIL, password, name="Administrator")
    space = Space.objects.create(name="First space", created_by=user)
    Membership.objects.create(space=space, user=user, role=Role.OWNER)
    user.last_space = space
    user.save(update_fields=["last_space"])
    with space_scope(space.pk):
        _bring_in_built_ins(space)
        _make_demo_base(actor_of(user, space_id=space.pk))
    return [
        f"Log in as  {user.email}",
        f"Password   {password}",
        "It is shown this once and kept nowhere in clear; change it under your name, or with"
        f" `manage.py changepassword {user.email}`.",
    ]


def bring_in_built_ins() -> list[str]:
    """Give every space the built-in models and agents that it lacks; a new version may bring some."""
    for space in Space.objects.all():
        with space_scope(space.pk):
            _bring_in_built_ins(space)
    return []


def _bring_in_built_ins(space: Space) -> None:
    sync_builtin_models(space.pk)
    sync_builtin_agents(space.pk)


def _make_demo_base(actor: Actor) -> None:
    base = create_base(
        actor, name=DEMO_BASE, description="A small sample: ask it, then add your own documents."
    )
    for path in sorted(_DEMO_FILES.iterdir()):
        add_document(actor, base_id=base.pk, name=path.name, content=path.read_bytes())
