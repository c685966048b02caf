"""The admin site of accounts: for superusers, with the product's rules."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from unfold.admin import ModelAdmin

from accounts.constants import Role
from accounts.models import Invitation, Membership, Space, User
from tests.factories.accounts import PASSWORD, make_invitation, make_member, make_space, make_user
from tests.personas import LOGIN_BACKEND, Persona

MODELS = (User, Space, Membership, Invitation, Group)


@pytest.fixture
def root(db: None) -> Client:
    """A superuser who is in no space."""
    user = User.objects.create_superuser("root@example.org", PASSWORD)
    client = Client()
    client.force_login(user, backend=LOGIN_BACKEND)
    return client


def admin_url(model: type, name: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{name}", args=args)  # type: ignore[attr-defined]  # a model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_lists_and_forms_open_in_the_theme(root: Client, olivia: Persona, model: type) -> None:
    make_invitation(olivia.space)
    Group.objects.create(name="Editors")
    assert isinstance(site.get_model_admin(model), ModelAdmin)
    assert root.get(admin_url(model, "changelist"), {"q": "a"}).status_code == 200
    row = model._default_manager.first()  # type: ignore[attr-defined]  # a model
    assert root.get(admin_url(model, "change", row.pk)).status_code == 200


def test_the_site_wears_the_products_colours(root: Client) -> None:
    page = root.get(reverse("admin:index")).content.decode()
    for part in ("WeKnora Django", "css/bridge.css", "oklch(53% .205 266)"):
        assert part in page


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_staff_without_being_superuser_sees_nothing(olivia: Persona, model: type) -> None:
    staff = make_user(is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(staff, backend=LOGIN_BACKEND)
    assert client.get(admin_url(model, "changelist")).status_code == 403


def test_a_persons_address_is_kept_in_one_spelling(root: Client) -> None:
    form = {
        "email": "Neo@Example.org",
        "name": "Neo",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    assert root.post(admin_url(User, "add"), form).status_code == 302
    assert User.objects.get(email="neo@example.org").check_password(PASSWORD)
    again = root.post(admin_url(User, "add"), {**form, "email": "NEO@example.org"})
    assert again.status_code == 200
    weak = {**form, "email": "smith@example.org", "password1": "123", "password2": "123"}
    assert root.post(admin_url(User, "add"), weak).status_code == 200
    assert not User.objects.filter(email="smith@example.org").exists()


@pytest.mark.parametrize("model", [User, Space], ids=lambda model: model.__name__)
def test_people_and_spaces_are_not_deleted_here(root: Client, olivia: Persona, model: type) -> None:
    row = model._default_manager.first()  # type: ignore[attr-defined]  # a model
    assert root.post(admin_url(model, "delete", row.pk), {"post": "yes"}).status_code == 403


def test_ending_a_membership_here_clears_its_pointers(root: Client, cora: Persona) -> None:
    User.objects.filter(pk=cora.user.pk).update(last_space=cora.space)
    url = admin_url(Membership, "delete", cora.membership.pk)
    assert root.post(url, {"post": "yes"}).status_code == 302
    assert User.objects.get(pk=cora.user.pk).last_space_id is None


def test_a_spaces_only_owner_stays(root: Client, olivia: Persona) -> None:
    url = admin_url(Membership, "delete", olivia.membership.pk)
    assert root.post(url, {"post": "yes"}).status_code == 403
    change = admin_url(Membership, "change", olivia.membership.pk)
    root.post(change, {"role": Role.VIEWER, "state": "active"})
    assert Membership.objects.get(pk=olivia.membership.pk).role == Role.OWNER
    make_member(olivia.space, role=Role.OWNER)
    root.post(change, {"role": Role.VIEWER, "state": "active"})
    assert Membership.objects.get(pk=olivia.membership.pk).role == Role.VIEWER


def test_secret_links_are_not_shown_but_can_be_ended(root: Client) -> None:
    invitation = make_invitation(make_space())
    for url in (
        admin_url(Invitation, "changelist"),
        admin_url(Invitation, "change", invitation.pk),
    ):
        assert invitation.token not in root.get(url).content.decode()
    form = {"action": "revoke", "_selected_action": [str(invitation.pk)]}
    root.post(admin_url(Invitation, "changelist"), form)
    invitation.refresh_from_db()
    assert not invitation.is_open


def test_changepassword_takes_an_address_and_asks_the_policy(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user("neo@example.org")
    answers = iter(["12345678", "12345678", "green-lantern-43", "green-lantern-43"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    call_command("changepassword", "neo@example.org", verbosity=0)
    assert User.objects.get(email="neo@example.org").check_password("green-lantern-43")


def test_changepassword_names_an_unknown_address(db: None) -> None:
    with pytest.raises(CommandError, match="nobody@example.org"):
        call_command("changepassword", "nobody@example.org")
