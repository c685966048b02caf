"""Capabilities are those of the reference, explained, grouped, and never more than an admin's."""

from __future__ import annotations

import pytest
from django.apps import apps

from accounts.access import policy_of
from accounts.keys.capabilities import (
    EXPLAINED,
    FOR_BASES,
    GROUPS,
    PLATFORM_ONLY,
    SCOPES,
    Capability,
    known,
    scopes_of,
)

OF_THE_REFERENCE = {
    "retrieve",
    "chat",
    "read_agents",
    "ingest",
    "manage_kbs",
    "manage_agents",
    "message_history",
    "manage_models",
    "manage_mcp_services",
    "manage_datasources",
    "manage_channels",
    "manage_vector_stores",
    "manage_storage_backends",
    "manage_web_search",
    "run_evaluations",
    "manage_members",
    "manage_spaces",
    "manage_tenant_settings",
    "system_tenants_read",
    "system_tenants_manage",
    "system_settings_read",
    "system_settings_manage",
    "system_runtime_read",
    "system_runtime_manage",
    "system_audit_read",
}
ACTIONS = {"view", "create", "edit", "change", "delete", "share", "manage", "use"}


def areas() -> set[str]:
    found = set()
    for model in apps.get_models():
        try:
            found.add(policy_of(model).area)
        except LookupError:
            continue
    return found


def test_the_names_are_those_of_the_reference() -> None:
    assert {one.value for one in Capability} == OF_THE_REFERENCE
    assert len(PLATFORM_ONLY) == 7


def test_every_capability_is_explained_once_and_has_its_row() -> None:
    grouped = [one for group in GROUPS for one in group.capabilities]
    assert sorted(grouped) == sorted(Capability)
    assert set(EXPLAINED) == set(SCOPES) == set(Capability)


@pytest.mark.parametrize("capability", list(Capability))
def test_a_scope_names_an_area_and_an_action_that_exist(capability: Capability) -> None:
    for scope in SCOPES[capability]:
        area, _, action = scope.partition(".")
        assert area in areas(), scope
        assert action in ACTIONS, scope


def test_no_capability_reaches_what_only_owners_or_people_do() -> None:
    everything = scopes_of(Capability)
    refused = {"spaces.delete", "spaces.share", "conversations.manage", "bases.share"}
    assert not everything & refused
    assert not {scope for scope in everything if scope.startswith(("keys.", "memory."))}


def test_content_is_edited_by_ingest_and_by_who_manages_bases() -> None:
    editing = {one for one in Capability if "bases.edit" in SCOPES[one]}
    assert editing == {Capability.INGEST, Capability.MANAGE_KBS}


def test_a_stored_name_that_is_gone_opens_nothing() -> None:
    assert known(["retrieve", "rule_the_world", 7]) == {Capability.RETRIEVE}
    assert scopes_of(known(["rule_the_world"])) == frozenset()


def test_what_is_for_bases_is_no_management_beyond_them() -> None:
    assert not FOR_BASES & {Capability.MANAGE_MEMBERS, Capability.MANAGE_MODELS}
