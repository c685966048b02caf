"""Every table of ours belongs to a space, or says why it does not."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import models

from core.tenancy import SpaceManager, SpaceOwned

OUR_APPS = {
    "core",
    "accounts",
    "providers",
    "knowledge",
    "wiki",
    "sandbox",
    "agents",
    "integrations",
    "weknora_site",
}
WITHOUT_SPACE = {
    "accounts.User": "a person works in many spaces",
    "accounts.User_groups": "Django's rights on the admin site",
    "accounts.User_user_permissions": "Django's rights on the admin site",
    "accounts.Space": "it is the space",
    "accounts.Membership": "read to find out which spaces a person may enter, before any is open",
    "accounts.Invitation": "read by its link by people who are in no space yet",
    "accounts.Invitation_closed_to": "a pair of ids made by Django",
    "accounts.Organisation": "a circle of several spaces",
    "accounts.OrganisationSpace": "its rows are about two spaces: the owner's and a member's",
    "accounts.JoinRequest": "its rows are about two spaces: the owner's and a member's",
    "accounts.ApiKey": "read by its hash to find out which space it opens",
    "accounts.SystemSetting": "of the installation",
    "accounts.PlatformAuditEvent": "of the installation",
    "accounts.Erasure": "what it is about, a space or a person, is gone",
    "knowledge.RestrictionUserGrant": "made by guardian; read only through restrictions",
    "knowledge.RestrictionGroupGrant": "made by guardian; read only through restrictions",
    "knowledge.BaseShare_receivers": "a pair of ids made by Django",
    "agents.AgentShare_receivers": "a pair of ids made by Django",
    "core.BackgroundJob": "core knows no space: a plain number, read by the workers of all spaces",
    "agents.ApprovalSettings_named_people": "a pair of ids made by Django, as Agent_bases is",
    "agents.Agent_bases": "a pair of ids made by Django; both ends are read through their managers",
}
JOINED_FROM_OUTSIDE = {
    "agents.Conversation.user": "user.conversations is guarded like every manager of the model",
}
"""Relations by which a query of people could join into the rows of all spaces."""

MODELS = [
    model
    for model in apps.get_models(include_auto_created=True)
    if model._meta.app_label in OUR_APPS
]
SPACE_OWNED = [model for model in MODELS if issubclass(model, SpaceOwned)]


def label(model: type[models.Model]) -> str:
    return model._meta.label


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_a_model_is_space_owned_or_listed_with_its_reason(model: type[models.Model]) -> None:
    assert issubclass(model, SpaceOwned) != (label(model) in WITHOUT_SPACE)


@pytest.mark.parametrize("model", SPACE_OWNED, ids=label)
def test_every_manager_of_a_space_owned_model_is_guarded(model: type[models.Model]) -> None:
    managers = [*model._meta.managers, model._default_manager, model._base_manager]
    assert all(isinstance(manager, SpaceManager) for manager in managers)


@pytest.mark.parametrize("model", SPACE_OWNED, ids=label)
def test_no_query_of_people_joins_into_all_spaces(model: type[models.Model]) -> None:
    for field in model._meta.get_fields():
        if not isinstance(field, models.ForeignKey) or issubclass(field.related_model, SpaceOwned):
            continue
        name = f"{label(model)}.{field.name}"
        assert field.remote_field.hidden != (name in JOINED_FROM_OUTSIDE), name


def test_the_lists_hold_nothing_that_is_gone() -> None:
    labels = {label(model) for model in MODELS}
    assert set(WITHOUT_SPACE) <= labels
    assert {name.rpartition(".")[0] for name in JOINED_FROM_OUTSIDE} <= labels
