"""S5, S10, S16, S18, S24, S25, S27, S28, S30, S34: spaces, sessions, roles."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actors import SPACE_SESSION_KEY
from accounts.constants import Role
from accounts.models import Membership, User
from accounts.organisations.joining import find_by_name, join_by_code, join_by_name
from accounts.services.members import remove_member
from core.errors import NotFound, ProjectError
from knowledge.models import Document
from knowledge.retrieval.scope import Scope, resolve
from tests.accounts.organisations.worlds import make_organisation
from tests.contracts.access_table import PEOPLE, TABLE
from tests.contracts.test_access import OURS
from tests.factories.accounts import PASSWORD, make_member, make_user
from tests.factories.agents import make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


@pytest.fixture
def document(cora: Persona) -> Document:
    base = make_base(cora.space, created_by=cora.user)
    return make_document(base, texts=["The rent is 900 euros."])


def test_s5_progress_is_told_to_the_space_and_the_person_alone(
    document: Document, cora: Persona, adam: Persona, mallory: Persona
) -> None:
    run = make_run(make_conversation(cora.space, user=cora.user), state="running")
    reading = reverse("document", args=[document.pk])
    answering = reverse("run_events", args=[run.pk])
    fragment = {"HX-Request": "true"}
    assert mallory.client.get(reading, headers=fragment).status_code == 404
    for other in (mallory, adam):
        assert other.client.get(answering).status_code == 404


def test_s10_an_empty_limit_finds_nothing(document: Document, cora: Persona) -> None:
    with cora.scope():
        assert resolve(cora.actor, Scope(base_ids=())).bases == ()
        nowhere = resolve(cora.actor, Scope(document_ids=()))
        assert nowhere.bases == ()


def test_s10_bases_and_documents_are_both_kept_to(document: Document, cora: Persona) -> None:
    """A document outside of the bases is not found by naming it."""
    other = make_base(cora.space)
    with cora.scope():
        found = resolve(cora.actor, Scope(base_ids=(other.pk,), document_ids=(document.pk,)))
        assert not found.chunks.exists()
        with pytest.raises(NotFound):
            resolve(cora.actor, Scope(document_ids=(uuid4(),)))


def test_s16_log_out_ends_the_session_for_good(victor: Persona) -> None:
    stolen = Client()
    stolen.cookies = deepcopy(victor.client.cookies)
    victor.client.post(reverse("account_logout"))
    assert stolen.get(reverse("bases")).status_code == 302


def test_s16_a_new_password_ends_the_other_sessions(db: None, space_a: object) -> None:
    user = make_user("ada@example.org")
    make_member(space_a, user=user)  # type: ignore[arg-type]  # the fixture's space
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
        assert client.get(reverse("bases")).status_code == 200
    new = "another-lantern-43"
    here.post(
        reverse("account_change_password"),
        {"oldpassword": PASSWORD, "password1": new, "password2": new},
    )
    assert elsewhere.get(reverse("bases")).status_code == 302


def test_s18_an_expired_code_lets_nobody_in_by_code_or_by_name(
    adam: Persona, mallory: Persona
) -> None:
    over = timezone.now() - timedelta(days=1)
    organisation = make_organisation(
        mallory.space,
        name="Circle",
        is_searchable=True,
        invite_code_expires_at=over,
        require_approval=False,
    )
    with adam.scope():
        for join in (
            lambda: join_by_code(adam.actor, code=organisation.invite_code),
            lambda: join_by_name(adam.actor, organisation_id=organisation.pk),
        ):
            with pytest.raises(ProjectError):
                join()
        assert not organisation.members.filter(member=adam.space).exists()


def test_s18_looking_for_organisations_is_for_admins(victor: Persona) -> None:
    with victor.scope(), pytest.raises(ProjectError):
        find_by_name(victor.actor, text="Circle")


def test_s24_the_next_person_in_the_same_browser_finds_nothing_kept(
    cora: Persona, document: Document
) -> None:
    page = cora.client.get(reverse("document", args=[document.pk]))
    assert page.headers["Cache-Control"] == "private, no-store"
    assert '"historyCacheSize":0' in page.content.decode()


def test_s25_a_session_or_header_that_names_a_space_opens_nothing(
    mallory: Persona, document: Document
) -> None:
    session = mallory.client.session
    session[SPACE_SESSION_KEY] = document.space_id
    session.save()
    User.objects.filter(pk=mallory.user.pk).update(last_space=document.space_id)
    url = reverse("document", args=[document.pk])
    headers = {"X-Tenant-ID": str(document.space_id), "X-Space-ID": str(document.space_id)}
    assert mallory.client.get(url, headers=headers).status_code == 404
    assert mallory.client.session.get(SPACE_SESSION_KEY) != document.space_id


@pytest.mark.parametrize("name", ["olivia", "adam", "victor"])
def test_s27_a_conversation_is_its_person_s_alone(
    cora: Persona, name: str, request: pytest.FixtureRequest
) -> None:
    other: Persona = request.getfixturevalue(name)
    conversation = make_conversation(cora.space, user=cora.user)
    run = make_run(conversation, answer="A secret.")
    for url in (
        reverse("conversation", args=[conversation.pk]),
        reverse("run", args=[run.pk]),
        reverse("run_export", args=[run.pk]),
    ):
        assert other.client.get(url).status_code == 404
    rename = reverse("conversation_rename", args=[conversation.pk])
    assert other.client.post(rename, {"title": "Mine"}).status_code == 404


def test_s28_every_address_that_changes_something_stands_in_the_access_table() -> None:
    listed = {row.name for row in TABLE}
    assert {one.name for one in OURS} <= listed


def test_s28_what_a_viewer_may_change_is_their_own() -> None:
    """Every other change is refused to viewers: the rows that are not say whose it is."""
    viewer, owner = PEOPLE.index("victor"), PEOPLE.index("olivia")
    open_to_viewers = {
        row.name
        for row in TABLE
        if row.method == "POST"
        and row.expected[viewer] < 400
        and row.expected[owner] < 400
        and not row.name.startswith(("account_", "mfa_", "memory", "schedule", "socialaccount"))
    }
    own = {
        *("chat_new", "spaces", "space_switch", "space_leave", "profile", "invitation"),
        *("message_suggestions", "suggestion_events", "sessions_end_others"),
        "base_mark",  # their own pin
        "wiki_draft",  # what they are writing
        "wiki_inbox",  # their own notices
        "wiki_preview",  # changes nothing
        "wiki_restore",  # only proposes
        "wiki_watch",  # their own
        "text_preview",  # shows how their text looks, and keeps nothing
        "base_why_not",  # a question: a pasted text stays out of addresses, nothing changes
    }
    assert open_to_viewers <= own, f"is it really a viewer's own? {sorted(open_to_viewers - own)}"


@pytest.mark.parametrize(
    "password", ["  blue lantern 42  ", "ｂｌｕｅ-ｌａｎｔｅｒｎ-42", "b<l>u&e'lan\"tern"]
)
def test_s30_a_password_is_kept_as_it_was_typed(db: None, password: str) -> None:
    user = User.objects.create_user("ada@example.org", password)
    client = Client()
    wrong = client.post(
        reverse("account_login"), {"login": user.email, "password": password.strip() + "x"}
    )
    assert wrong.status_code == 200
    right = client.post(reverse("account_login"), {"login": user.email, "password": password})
    assert right.status_code == 302


@pytest.mark.django_db(transaction=True)
def test_s34_a_removed_member_keeps_no_pointer_and_no_way_in(
    olivia: Persona, victor: Persona
) -> None:
    base = make_base(olivia.space)
    assert victor.client.get(reverse("base", args=[base.pk])).status_code == 200
    with olivia.scope():
        remove_member(olivia.actor, membership_id=victor.membership.pk)
    assert not Membership.objects.filter(pk=victor.membership.pk).exists()
    assert User.objects.get(pk=victor.user.pk).last_space_id is None
    assert victor.client.get(reverse("base", args=[base.pk])).status_code != 200
    assert SPACE_SESSION_KEY not in victor.client.session


def test_roles_of_the_cases_are_those_of_the_product() -> None:
    assert [role.value for role in Role] == ["owner", "admin", "contributor", "viewer"]
