"""What each persona is answered at each address: the committed table of `test_access`.

Add a row for each address and method that a view takes; every other method must be refused with
405. The columns are olivia, adam, cora, victor (owner to viewer of space A), mallory (owner of
space B) and the stranger who is not signed in. Addresses name things of space A, all made by
olivia: for mallory each of them is 404.

Vera owns a space that is a viewer in an organisation with A, eddie one that is an editor there; A
shares its base with both, as an editor. What `guests` does not say otherwise follows from that: below
the shared base they see what is there and may do nothing to it (403), everywhere else they are as
mallory is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.contracts.world import World

PEOPLE = ("olivia", "adam", "cora", "victor", "mallory", "stranger")
GUESTS = ("vera", "eddie")
BELOW_THE_BASE = frozenset({"base_id", "document_id", "chunk_id", "picture_id", "entity_id"})
"""Arguments that name something of the shared base."""
LOGIN = 302
"""Where strangers are sent; the test looks at the address."""

Data = Mapping[str, Any] | Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True)
class Row:
    """The expected answers to one method at one address."""

    name: str
    """The name of the address, with its namespace."""
    method: str
    expected: tuple[int, int, int, int, int, int]
    """Statuses in the order of PEOPLE."""
    data: Data = ()  # type: ignore[assignment]  # an empty sequence of pairs is an empty mapping
    open_to_mallory: str = ""
    """Why a thing of space A is not 404 for her."""
    or_else: int = 0
    """Another answer that the state of the machine may give to everybody."""
    guests: tuple[int, int] | None = None
    """Statuses in the order of GUESTS, where they do not follow from the rest."""

    def expected_of_guests(self, arguments: tuple[str, ...]) -> tuple[int, int]:
        """Return what vera and eddie are answered at an address with these arguments."""
        if self.guests is not None:
            return self.guests
        mallory = self.expected[PEOPLE.index("mallory")]
        status = 403 if BELOW_THE_BASE & set(arguments) else mallory
        return status, status

    def data_for(self, world: World) -> Mapping[str, Any]:
        """Return the form that is sent."""
        return self.data(world) if callable(self.data) else dict(self.data)


def everybody(status: int, stranger: int = LOGIN) -> tuple[int, int, int, int, int, int]:
    """The same for all who are signed in."""
    return (status, status, status, status, status, stranger)


def members(status: int, stranger: int = LOGIN) -> tuple[int, int, int, int, int, int]:
    """The same for all of space A; not there for others."""
    return (status, status, status, status, 404, stranger)


def admins(status: int, others: int = 403) -> tuple[int, int, int, int, int, int]:
    """For owner and admin of A."""
    return (status, status, others, others, 404, LOGIN)


def her_own(status: int) -> tuple[int, int, int, int, int, int]:
    """For olivia alone; not there for others."""
    return (status, 404, 404, 404, 404, LOGIN)


_ROLE = {"role": "contributor"}
_JOIN = {"email": "neo@example.org", "name": "Neo", "password": "blue-lantern-42"}
_BASE = {"name": "Tower", "description": "", "size_characters": 1200, "limit": 10, "rerank": "auto"}
_FOLDER = {"action": "create", "name": "Plans"}
_TAG = {"action": "create", "name": "Red", "color": "bad"}
_ADDRESS = {"url": "https://pages.example.org/flaps"}
_TEXT = {"title": "Flaps", "text": "Check them.", "publish": "1"}


def _chosen_documents(world: World) -> Mapping[str, Any]:
    return {"action": "trash", "document": str(world.document.pk)}


def _one_document(world: World) -> Mapping[str, Any]:
    return {"document": str(world.document.pk)}


def _carried(world: World) -> Mapping[str, Any]:
    return {**_one_document(world), "target": str(world.base.pk), "action": "move"}


def _another_file(_: World) -> Mapping[str, Any]:
    return {"file": SimpleUploadedFile("manual.txt", b"Check the flaps twice.")}


_HIDDEN_FROM_VIEWERS = (302, 302, 404, 404, 404, LOGIN)


_DECIDERS = {"deciders": "person", "timeout_seconds": "3600", "ask_for_high_risk": "on"}


def _decision(world: World) -> Mapping[str, Any]:
    return {"decision_hash": world.approval.decision_hash, "resolution": "approved"}


def _batch(world: World) -> Mapping[str, Any]:
    item = f"{world.approval.pk}:{world.approval.decision_hash}"
    return {"item": item, "resolution": "approved"}


_BUDGET = {"whose": "space", "period": "day", "max_tokens": "5"}


def _schedule(world: World) -> Mapping[str, Any]:
    return {
        "name": "Morning report",
        "question": "What is new?",
        "agent": str(world.agent.pk),
        "kind": "daily",
        "at": "08:00",
        "timezone": "UTC",
    }


def _file(_: World) -> Mapping[str, Any]:
    return {"file": SimpleUploadedFile("notes.txt", b"Check the flaps.")}


def _code(world: World) -> Mapping[str, Any]:
    return {"code": world.organisation.invite_code}


def _share(world: World) -> Mapping[str, Any]:
    return {"organisation": str(world.organisation.pk), "permission": "viewer", "reach": "all"}


def _space_of_mallory(world: World) -> Mapping[str, Any]:
    return {"space": world.people["mallory"].space.pk, "role": "viewer"}


_IN = (403, 403)
"""Of an organisation's pages that only its admins use: vera's and eddie's spaces are in it."""
ORGANISATIONS = (
    Row("organisations", "GET", everybody(200)),
    Row("organisations", "POST", (302, 302, 403, 403, 302, LOGIN), {"name": "Airfield"}),
    Row("organisation_join", "GET", (200, 200, 403, 403, 200, LOGIN), _code),
    # Space A is in it.
    Row("organisation_join", "POST", (422, 422, 403, 403, 302, LOGIN), _code, guests=(422, 422)),
    Row("shared_with_us", "GET", everybody(200)),
    Row("organisation", "GET", members(200), guests=(200, 200)),
    Row("organisation", "POST", admins(302), {"name": "Renamed"}, guests=_IN),
    # It does not let itself be found.
    Row("organisation_enter", "POST", (404, 404, 403, 403, 404, LOGIN)),
    Row("organisation_code", "POST", admins(302), {"days": "7"}, guests=_IN),
    Row("organisation_delete", "POST", admins(302), guests=_IN),
    # Space A owns it.
    Row("organisation_leave", "POST", admins(409), guests=(302, 302)),
    # Only vera's space has a lower role.
    Row("organisation_role", "POST", admins(400), {"role": "editor"}, guests=(302, 400)),
    Row("organisation_spaces", "GET", admins(200), guests=_IN),
    Row("organisation_spaces", "POST", admins(302), _space_of_mallory, guests=_IN),
    Row("organisation_space_role", "POST", admins(302), {"role": "editor"}, guests=_IN),
    Row("organisation_space_remove", "POST", admins(302), guests=_IN),
    Row("organisation_share_end", "POST", admins(302), guests=_IN),
    Row("organisation_request_decide", "POST", admins(302), {"decision": "approve"}, guests=_IN),
    # The request is another space's.
    Row("organisation_request_withdraw", "POST", (404, 404, 403, 403, 404, LOGIN)),
)
ACCOUNTS = (
    Row("spaces", "GET", everybody(200)),
    Row("spaces", "POST", everybody(302), {"name": "Another"}),
    Row("space_switch", "POST", members(302)),
    Row("space_leave", "POST", (409, 302, 302, 302, 404, LOGIN)),
    Row("space_settings", "GET", everybody(200)),
    Row("space_settings", "POST", (302, 302, 403, 403, 302, LOGIN), {"name": "Renamed"}),
    Row("space_opening", "POST", (302, 403, 403, 403, 302, LOGIN), {"allowed": "on"}),
    Row("space_rules", "POST", (302, 302, 403, 403, 302, LOGIN), {"auto_accept": "on"}),
    Row("space_delete", "GET", (200, 403, 403, 403, 200, LOGIN)),
    # The typed name is A's: mallory's space has another one, and is told so.
    Row("space_delete", "POST", (302, 403, 403, 403, 422, LOGIN), {"typed_name": "Space A"}),
    Row("space_deletions", "GET", everybody(200)),
    Row("members", "GET", everybody(200)),
    # Mallory manages her own space.
    Row("lens", "GET", (200, 200, 403, 403, 200, LOGIN), guests=(200, 200)),
    Row("member_suspend", "POST", admins(302)),
    Row("member_let_in", "POST", admins(302)),
    Row("member_hand_over", "POST", (302, 403, 403, 403, 404, LOGIN)),
    Row("groups", "GET", everybody(200)),
    Row("groups", "POST", (302, 302, 403, 403, 302, LOGIN), {"name": "Pilots"}),
    Row("group", "GET", members(200)),
    Row("group", "POST", admins(302), {"name": "Crew"}),
    Row("group_delete", "POST", admins(302)),
    Row("group_add", "POST", admins(302), lambda world: {"user": world.people["cora"].user.pk}),
    Row("group_take_out", "POST", admins(302)),
    Row("people_and_groups", "GET", everybody(200)),
    Row("audit", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("audit_export", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("member_role", "POST", admins(302), _ROLE),
    Row("member_remove", "POST", admins(302)),
    Row("invitations", "POST", (302, 302, 403, 403, 302, LOGIN), {"role": "viewer"}),
    Row("invitation_revoke", "POST", _HIDDEN_FROM_VIEWERS),
    # A link without an address is not mailed.
    Row("invitation_resend", "POST", (410, 410, 404, 404, 404, LOGIN)),
    Row("invitations_many", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row(
        "invitations_many",
        "POST",
        (200, 200, 403, 403, 200, LOGIN),
        {"addresses": "neo@example.org", "role": "viewer", "days": "7"},
    ),
    # Of nobody's address.
    Row("own_invitations", "GET", everybody(200)),
    Row("own_invitation_accept", "POST", everybody(404)),
    Row("own_invitation_decline", "POST", everybody(404)),
    Row("invitation", "GET", everybody(200, 200), open_to_mallory="the link is the permission"),
    Row("invitation", "POST", everybody(302, 302), _JOIN, "the link is the permission"),
    Row("profile", "GET", everybody(200)),
    Row("profile", "POST", everybody(302), {"name": "Somebody"}),
    # The password is asked for once more.
    Row("account_delete", "GET", everybody(302)),
    Row("account_delete", "POST", everybody(302)),
    Row("space_exports", "GET", (200, 403, 403, 403, 200, LOGIN)),
    Row("space_exports", "POST", (302, 403, 403, 403, 302, LOGIN)),
    Row("space_export_download", "GET", (200, 403, 403, 403, 404, LOGIN)),
    Row("space_export_remove", "POST", (302, 403, 403, 403, 404, LOGIN)),
    Row("erasures", "GET", everybody(403)),
    Row("erasures", "POST", everybody(403)),
    Row("erasure_retry", "POST", everybody(403), open_to_mallory="refused to everybody"),
)
_AGENT = {
    "name": "Tower talk",
    "mode": "react",
    "base_scope": "selected",
    "starters_mode": "hybrid",
    "follow_ups_mode": "hybrid",
    "expected_version": 1,
}
_MEMORY = {"text": "I like coffee.", "kind": "preference"}
_MEMORY_SETTINGS = {
    "is_enabled": "on",
    "writing": "explicit_only",
    "debounce_seconds": 90,
    "min_interval_seconds": 300,
    "capacity": 200,
    "promote_after": 3,
}
AGENTS = (
    Row("chat_new", "GET", everybody(200)),
    Row("chat_new", "POST", everybody(302), {"text": "What is to be checked?", "client_id": "1"}),
    Row("conversations", "GET", everybody(200)),
    Row("agents", "GET", everybody(200)),
    Row("agent_new", "GET", (200, 200, 200, 403, 200, LOGIN)),
    Row("agent_new", "POST", (302, 302, 302, 403, 302, LOGIN), _AGENT),
    Row("agent_new_fits", "POST", (200, 200, 200, 403, 200, LOGIN), _AGENT),
    Row("agent", "GET", members(200)),
    Row("agent", "POST", admins(302), _AGENT),
    Row("agent_fits", "POST", (200, 200, 403, 403, 404, LOGIN), _AGENT),
    Row("agent_copy", "POST", (302, 302, 302, 403, 404, LOGIN)),
    Row("agent_enable", "POST", admins(302), {"on": "0"}),
    Row("agent_delete", "POST", admins(302)),
    Row("agent_reset", "POST", (409, 409, 403, 403, 404, LOGIN)),  # it is not built in
    # The agent is shared with the spaces of vera and eddie: they ask it, and see no settings.
    Row("agent_mentions", "GET", members(200), guests=(200, 200)),
    Row("agent_sharing", "GET", admins(200)),
    Row("agent_sharing", "POST", admins(302), _share),
    Row("agent_sharing_end", "POST", admins(302)),
    Row("agent_received", "GET", everybody(404), guests=(200, 200)),
    # It is their own, so there is nothing to hide; vera and eddie own the spaces that receive it.
    Row(
        "agent_hide",
        "POST",
        (404, 404, 403, 403, 404, LOGIN),
        {"hidden": "1"},
        guests=(302, 302),
    ),
    Row("agent_versions", "GET", members(200)),
    Row("agent_compare", "GET", members(200)),
    Row("agent_restore", "POST", admins(302)),
    Row("conversation", "GET", her_own(200)),
    Row("conversation_rename", "POST", her_own(302), {"title": "Flaps"}),
    Row("conversation_delete", "POST", her_own(302)),
    Row("approvals", "GET", everybody(200)),
    Row("approvals_count", "GET", everybody(200)),
    Row("approval", "GET", admins(200, others=404)),
    # The run is over, so those who may decide are told that.
    Row("approval_decide", "POST", admins(422, others=404), _decision),
    Row("approval_batch", "POST", (302, 302, 404, 404, 404, LOGIN), _batch),
    Row("approval_settings", "GET", everybody(200)),
    Row("approval_settings", "POST", (302, 302, 403, 403, 302, LOGIN), _DECIDERS),
    Row("run", "GET", her_own(200)),
    Row("run_export", "GET", her_own(200)),
    Row("run_events", "GET", her_own(204)),
    Row("run_feedback", "POST", her_own(302), {"value": "up"}),
    Row("base_feedback", "GET", admins(200), guests=(403, 200)),
    # Nothing is chosen: they are told on the page.
    Row("base_feedback", "POST", admins(302), {"action": "handled"}, guests=(403, 302)),
    Row("base_unanswered", "GET", admins(200), guests=(403, 200)),
    Row("base_unanswered", "POST", admins(302), {"action": "dismiss"}, guests=(403, 302)),
    Row("run_continue", "POST", her_own(409)),  # no budget stopped it
    # Her own leads to its own page; of others the space's setting is off.
    Row("conversation_opened", "GET", her_own(302)),
    Row("usage", "GET", everybody(200)),
    Row("usage", "POST", (302, 302, 403, 403, 302, LOGIN), _BUDGET),
    Row("usage_export", "GET", everybody(200)),
    Row("usage_person", "GET", (200, 403, 403, 403, 404, LOGIN)),
    Row("budget_change", "POST", admins(302, others=404), {"max_tokens": "5"}),
    Row("budget_delete", "POST", admins(302, others=404)),
    Row("schedules", "GET", everybody(200)),
    Row("schedule_new", "GET", everybody(200)),
    # The agent is space A's.
    Row("schedule_new", "POST", (302, 302, 302, 302, 422, LOGIN), _schedule),
    Row("schedule_preview", "POST", everybody(200), {"kind": "daily", "timezone": "UTC"}),
    Row("schedule", "GET", her_own(200)),
    Row("schedule", "POST", her_own(302), _schedule),
    Row("schedule_run", "POST", her_own(302)),
    Row("schedule_switch", "POST", her_own(302)),
    Row("schedule_delete", "POST", her_own(302)),
    Row("memory", "GET", everybody(200)),
    Row("memory_add", "POST", everybody(302), _MEMORY),
    Row("memory_switch", "POST", everybody(302), {"is_on": "0"}),
    Row("memory_restore", "POST", everybody(410), {"token": "not signed by us"}),
    Row("memory_export", "GET", everybody(200)),
    Row("memory_tidy", "GET", everybody(200)),
    Row("memory_tidy", "POST", everybody(302)),
    Row("memory_forget_everything", "POST", everybody(302), {"word": "forget"}),
    Row("memory_item", "GET", her_own(200)),
    Row("memory_item", "POST", her_own(302), _MEMORY),
    Row("memory_forget", "POST", her_own(302)),
    Row("memory_confirm", "POST", her_own(302)),
    Row("memory_topic_promote", "POST", her_own(302)),
    Row("memory_topic_delete", "POST", her_own(302)),
    Row("memory_document_forget", "POST", her_own(302)),
    Row("memory_settings", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("memory_settings", "POST", (302, 302, 403, 403, 302, LOGIN), _MEMORY_SETTINGS),
    Row(
        "starters",
        "GET",
        members(200),
        lambda world: {"agent_id": str(world.agent.pk)},
        guests=(200, 200),
    ),
    # A form, not the JSON that it takes; what it does with ids of others its own tests say.
    Row("suggestion_events", "POST", everybody(400)),
    Row("message_suggestions", "GET", her_own(200)),
    Row("message_suggestions", "POST", her_own(200)),
    Row("artifact", "GET", her_own(200)),
    Row("artifact_download", "GET", her_own(200)),
    Row("artifact_frame", "GET", her_own(200)),
)
_GOLDEN = {"question": "Which flaps?", "answer": "Those of the wing.", "version": "1"}


def _golden_file(_: World) -> Mapping[str, Any]:
    content = b"question,answer\nWhere is the tower?,At the gate.\n"
    return {"file": SimpleUploadedFile("golden.csv", content)}


_TO_COME = {"files": '[["txt", "900"]]'}
KNOWLEDGE = (
    Row("bases", "GET", everybody(200)),
    Row("base_new", "GET", (200, 200, 200, 403, 200, LOGIN)),
    Row("base_new", "POST", (302, 302, 302, 403, 302, LOGIN), _BASE),
    Row("base", "GET", members(200), guests=(200, 200)),
    Row("base_settings", "GET", admins(200)),
    Row("base_settings", "POST", admins(302), _BASE),
    Row("base_delete", "POST", admins(302)),
    Row("base_sharing", "GET", admins(200)),
    Row("base_sharing", "POST", admins(302), _share),
    Row("base_sharing_end", "POST", admins(302)),
    Row("base_activity", "GET", admins(200)),
    Row("base_embedding", "GET", admins(200)),
    # Nothing goes on that could be canceled: the page says so.
    Row("base_embedding", "POST", admins(302), {"action": "cancel"}),
    Row("base_embedding_compare", "GET", admins(200), {"question": "What are flaps?"}),
    Row("base_search", "GET", members(200), guests=(200, 200)),
    Row("base_search_default", "POST", admins(302), {"limit": 5}),
    Row("base_searches", "GET", members(200), guests=(200, 200)),
    Row("base_why_not", "GET", members(200), guests=(200, 200)),
    Row("base_why_not", "POST", members(200), {"text": "Check the flaps."}, guests=(200, 200)),
    Row("search_record", "GET", admins(200, others=404), guests=(404, 404)),
    Row("wiki_inbox", "GET", everybody(200)),
    Row("wiki_inbox", "POST", everybody(302)),
    Row("wiki_inbox_count", "GET", everybody(200)),
    Row("wiki_changes", "GET", members(200), guests=(200, 200)),
    Row(
        "wiki_changes_batch",
        "POST",
        admins(302),
        {"verdict": "reject", "number": 1},
        guests=(403, 302),
    ),
    # A proposal is seen by who may decide about it, who made it and who is asked.
    Row("wiki_change", "GET", admins(200, others=404), guests=(404, 200)),
    Row(
        "wiki_change_act",
        "POST",
        admins(302, others=404),
        {"action": "approve_publish", "edition": 1},
        guests=(404, 302),
    ),
    Row("wiki_change_comment", "POST", admins(302, others=404), {"text": "x"}, guests=(404, 302)),
    Row("wiki_change_reviewers", "POST", admins(302, others=404), guests=(404, 302)),
    Row("wiki_change_edit", "GET", admins(200, others=404), guests=(404, 200)),
    Row("wiki_change_edit", "POST", admins(422, others=404), guests=(404, 422)),
    # Nothing is to be merged: the page says so.
    Row("wiki_change_merge", "GET", admins(302, others=404), guests=(404, 302)),
    Row("wiki_change_merge", "POST", admins(302, others=404), guests=(404, 302)),
    Row("wikis", "GET", everybody(200)),
    Row("wiki_index", "GET", members(200), guests=(200, 200)),
    Row("wiki_switch", "POST", admins(302)),
    Row("wiki_watch", "POST", members(302), {"action": "watch"}, guests=(302, 302)),
    Row("wiki_page", "GET", members(200), guests=(200, 200)),
    Row("wiki_trash", "GET", members(200), guests=(200, 200)),
    Row("wiki_trash", "POST", members(404), guests=(404, 404)),
    Row("wiki_folders", "POST", admins(302), {"name": "New"}, guests=(403, 302)),
    Row(
        "wiki_folder", "POST", admins(302), {"action": "rename", "name": "Other"}, guests=(403, 302)
    ),
    Row("wiki_new", "GET", members(200), guests=(200, 200)),
    Row("wiki_new", "POST", members(422), {"title": ""}, guests=(422, 422)),
    Row("wiki_draft", "POST", members(200), {"is_changed": "1"}, guests=(400, 400)),
    Row("wiki_preview", "POST", members(200), {"content": "x"}, guests=(200, 200)),
    Row("wiki_complete", "GET", members(200), guests=(200, 200)),
    Row("wiki_pictures", "POST", members(422), guests=(422, 422)),
    Row("wiki_picture", "GET", members(404), guests=(404, 404)),
    Row("wiki_graph", "GET", members(200), guests=(200, 200)),
    Row("wiki_graph_card", "GET", members(404), guests=(404, 404)),
    Row("wiki_settings", "GET", admins(200)),
    Row("wiki_settings", "POST", admins(422), {"review": ""}),
    Row("wiki_mirror", "POST", admins(302), {"action": "now"}),
    Row("wiki_publish", "POST", admins(302), {"public_name": "flaps"}),
    # Published in `world`: everybody reads it, but nothing that no page shows.
    # The token of the table is an invitation's.
    Row("wiki_mails_stop", "GET", everybody(404, stranger=404)),
    Row("wiki_mails_stop", "POST", everybody(404, stranger=404)),
    Row("public_wiki", "GET", everybody(200, stranger=200), open_to_mallory="it is public"),
    Row("public_wiki_page", "GET", everybody(200, stranger=200), open_to_mallory="it is public"),
    Row("public_wiki_picture", "GET", everybody(404, stranger=404)),
    Row("wiki_building", "GET", admins(200), guests=(403, 200)),
    Row("wiki_building", "POST", admins(302), {"action": "retry"}, guests=(403, 302)),
    Row("wiki_export", "GET", members(200), guests=(200, 200)),
    Row("wiki_import", "POST", admins(302), guests=(403, 302)),
    Row("wiki_issues", "GET", members(200), guests=(200, 200)),
    Row("wiki_lint", "POST", admins(302), {"action": "stop"}, guests=(403, 302)),
    Row("wiki_issue_act", "POST", admins(302), {"action": "ignored"}, guests=(403, 302)),
    Row("wiki_flag", "GET", members(200), guests=(200, 200)),
    Row("wiki_flag", "POST", members(422), {"kind": "other"}, guests=(422, 422)),
    Row("wiki_page_by_id", "GET", members(302), guests=(302, 302)),
    Row("wiki_page_act", "POST", admins(302), {"action": "move"}, guests=(403, 302)),
    Row("wiki_page_export", "GET", members(200), guests=(200, 200)),
    Row("wiki_edit", "GET", members(200), guests=(200, 200)),
    Row("wiki_edit", "POST", members(422), {"title": "", "version": "1"}, guests=(422, 422)),
    Row("wiki_history", "GET", members(200), guests=(200, 200)),
    Row("wiki_compare", "GET", members(200), guests=(200, 200)),
    Row("wiki_blame", "GET", members(200), guests=(200, 200)),
    Row("wiki_revision", "GET", members(200), guests=(200, 200)),
    Row("wiki_restore", "POST", members(302), guests=(302, 302)),
    Row("base_graph", "GET", members(200), guests=(200, 200)),
    Row("base_graph_entity", "GET", members(200), guests=(200, 200)),
    Row("base_graph_read", "POST", admins(302), {"action": "stop"}),
    Row("base_graph_preview", "GET", admins(200)),
    Row("base_graph_preview", "POST", admins(422), {"text": ""}),
    Row("base_upload", "POST", admins(201), _file, guests=(403, 201)),
    Row("base_batches", "GET", admins(200), guests=(403, 200)),
    Row("base_batches", "POST", admins(201), _TO_COME, guests=(403, 201)),
    Row("base_batch_estimate", "POST", admins(200), _TO_COME, guests=(403, 200)),
    # Who does not put files in does not see that it is there.
    Row("batch", "GET", admins(200, others=404), guests=(404, 200)),
    Row("batch", "POST", admins(302, others=404), {"action": "cancel"}, guests=(404, 302)),
    Row("batch_uploads", "POST", admins(204, others=404), guests=(404, 204)),
    Row("document", "GET", members(200), guests=(200, 200)),
    Row("document_file", "GET", members(200), guests=(200, 200)),
    Row("document_access", "GET", admins(200)),
    Row("document_access", "POST", admins(302)),
    Row("base_access", "GET", admins(200)),
    Row("base_access", "POST", admins(302)),
    Row("base_folders", "POST", admins(302), _FOLDER, guests=(403, 302)),
    Row("base_tags", "GET", admins(200), guests=(403, 200)),
    Row("base_tags", "POST", admins(302), _TAG, guests=(403, 302)),
    Row("base_bulk", "POST", admins(302), _chosen_documents, guests=(403, 302)),
    Row("base_carry", "GET", admins(200), _one_document, guests=(403, 200)),
    # Into itself: it is told so on the page.
    Row("base_carry", "POST", admins(302), _carried, guests=(403, 302)),
    Row("base_copy", "POST", admins(302), {"name": "Another hangar"}),
    Row("base_trash", "GET", admins(200), guests=(403, 200)),
    Row("base_trash", "POST", admins(302), {"action": "empty"}, guests=(403, 302)),
    Row("base_mark", "POST", members(302), {"kind": "pin"}, guests=(302, 302)),
    Row("base_address", "GET", admins(200), guests=(403, 200)),
    Row("base_address", "POST", admins(302), _ADDRESS, guests=(403, 302)),
    Row("base_text", "GET", admins(200), guests=(403, 200)),
    Row("base_text", "POST", admins(302), _TEXT, guests=(403, 302)),
    Row("faq", "GET", members(200)),
    Row("faq_new", "GET", admins(200)),
    Row("faq_new", "POST", admins(422)),
    Row("faq_entry", "GET", members(200)),
    Row("faq_entry", "POST", admins(422)),
    Row("faq_hints", "POST", admins(200), {"standard_question": "Where?"}),
    Row("faq_switch", "POST", admins(200), {"field": "enabled", "value": "1"}),
    Row("faq_bulk", "POST", admins(302), {"action": "enable", "all": "1"}),
    Row("faq_restore", "POST", admins(302)),
    Row("faq_search", "GET", members(200)),
    Row("faq_import", "POST", admins(302)),
    Row("faq_import_one", "GET", admins(200, others=404)),
    Row("faq_import_one", "POST", admins(302, others=404), {"action": "close"}),
    Row("faq_import_problems", "GET", admins(200, others=404)),
    Row("faq_export", "GET", members(200)),
    Row("base_quality", "GET", admins(200), guests=(403, 200)),
    Row("base_quality", "POST", admins(302), {"action": "retired"}, guests=(403, 302)),
    Row("golden_new", "GET", admins(200), guests=(403, 200)),
    Row("golden_new", "POST", admins(302), {"question": "Why?"}, guests=(403, 302)),
    Row("golden_import", "GET", admins(200), guests=(403, 200)),
    Row("golden_import", "POST", admins(200), _golden_file, guests=(403, 200)),
    Row("golden_export", "GET", admins(200), guests=(403, 200)),
    Row("golden_draft", "GET", admins(200), guests=(403, 200)),
    # There is no passage that is long enough to be asked about.
    Row("golden_draft", "POST", admins(422), guests=(403, 422)),
    Row("base_evaluations", "GET", admins(200), guests=(403, 200)),
    Row("base_evaluations", "POST", admins(302), guests=(403, 302)),
    # Who does not edit the base does not see that it is there.
    Row("golden", "GET", admins(200, others=404), guests=(404, 200)),
    Row("golden", "POST", admins(302, others=404), _GOLDEN, guests=(404, 302)),
    Row("evaluation", "GET", admins(200, others=404), guests=(404, 200)),
    Row("evaluation", "POST", admins(302, others=404), {"action": "delete"}, guests=(404, 302)),
    Row("evaluation_compare", "GET", admins(200, others=404), guests=(404, 200)),
    # It is no proposal, and an editor of a shared base changes none of its settings.
    Row(
        "evaluation_compare",
        "POST",
        admins(409, others=404),
        {"action": "discard"},
        guests=(404, 403),
    ),
    Row("text_preview", "POST", everybody(200), {"text": "# Flaps"}),
    Row("document_details", "GET", members(200), guests=(200, 200)),
    Row("document_details", "POST", admins(302), {"name": "manual.txt"}, guests=(403, 302)),
    Row("document_pictures", "GET", members(200), guests=(200, 200)),
    Row("picture", "GET", members(200), guests=(200, 200)),
    Row("picture_describe", "POST", admins(302), {"caption": "A lamp"}, guests=(403, 302)),
    Row("document_timeline", "GET", members(200), guests=(200, 200)),
    Row("document_enrichment_stop", "POST", admins(409), guests=(403, 409)),
    Row("base_health", "GET", members(200), guests=(200, 200)),
    Row("document_engine_try", "POST", admins(302), {"engine": "pdf-ocr"}, guests=(403, 302)),
    Row("document_engine", "GET", admins(404), guests=(403, 404)),
    Row("document_engine", "POST", admins(404), {"action": "keep"}, guests=(403, 404)),
    Row("document_versions", "GET", members(200), guests=(200, 200)),
    Row("document_versions", "POST", admins(302), _another_file, guests=(403, 302)),
    Row("document_diff", "GET", members(404), guests=(404, 404)),
    Row("document_version_file", "GET", members(404), guests=(404, 404)),
    Row("document_chunks", "GET", members(200), guests=(200, 200)),
    Row("document_page", "GET", members(404), guests=(404, 404)),
    Row("chunk_edit", "GET", admins(200), guests=(403, 200)),
    Row("chunk_edit", "POST", admins(409), {"text": "Other words."}, guests=(403, 409)),
    Row("chunk_switch", "POST", admins(302), {"enabled": "0"}, guests=(403, 302)),
    Row("chunk_history", "GET", members(200), guests=(200, 200)),
    Row("chunk_history", "POST", admins(302), {"number": "0"}, guests=(403, 302)),
    Row("chunk_questions", "POST", admins(302), {"action": "add"}, guests=(403, 302)),
    Row("document_corrections", "GET", members(200), guests=(200, 200)),
    Row("document_corrections", "POST", admins(404), guests=(403, 404)),
    Row("base_corrections", "GET", members(200), guests=(200, 200)),
    Row("base_chunking", "GET", admins(200)),
    Row("base_chunking", "POST", admins(200), {"text": "Some words."}),
    Row("base_chunking_read", "POST", admins(302)),
    Row("document_chunking", "GET", admins(200), guests=(403, 200)),
    Row("document_chunking", "POST", admins(200), {"text": "Some words."}, guests=(403, 200)),
    Row("document_settings", "GET", admins(200), guests=(403, 200)),
    Row("document_settings", "POST", admins(302), {"read": "1"}, guests=(403, 302)),
    Row("document_password", "POST", admins(302), {"password": "flaps"}, guests=(403, 302)),
    Row("document_activity", "GET", admins(200)),
    Row("document_text", "GET", admins(409), guests=(403, 409)),
    Row("document_text", "POST", admins(409), _TEXT, guests=(403, 409)),
    Row("document_publish", "POST", admins(409), guests=(403, 409)),
    Row("document_fetch", "POST", admins(409), guests=(403, 409)),
    Row("document_retry", "POST", admins(302), guests=(403, 302)),
    Row("document_cancel", "POST", admins(409), guests=(403, 409)),
    Row("document_delete", "POST", admins(302), guests=(403, 302)),
)
_MODEL = {
    "name": "Tower talk",
    "type": "chat",
    "provider": "openai_compatible",
    "model_id": "m",
    "base_url": "http://127.0.0.1:9/v1",
    "parameters": "{}",
    "max_concurrency": 4,
    "is_enabled": "on",
}
_OF_ADMINS = (302, 302, 403, 403, 302, LOGIN)
PROVIDERS = (
    Row("models", "GET", everybody(200)),
    Row("model_new", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("model_new", "POST", _OF_ADMINS, _MODEL),
    Row("model_new_test", "POST", (200, 200, 403, 403, 200, LOGIN), _MODEL),
    Row("model", "GET", admins(200)),
    Row("model", "POST", admins(302), _MODEL),
    Row("model_test", "POST", (200, 200, 403, 403, 404, LOGIN), _MODEL),
    Row("model_default", "POST", admins(302)),
    Row("model_delete", "POST", admins(302)),
)
_SANDBOX = {
    "name": "Second",
    "backend": "disabled",
    "memory_mib": 256,
    "cpus": 1,
    "processes": 100,
    "workspace_mib": 64,
    "idle_minutes": 30,
}
SANDBOX = (
    Row("sandboxes", "GET", everybody(200)),
    Row("sandbox_new", "GET", (200, 200, 403, 403, 200, LOGIN)),
    Row("sandbox_new", "POST", _OF_ADMINS, _SANDBOX),
    Row("sandbox", "GET", admins(200)),
    Row("sandbox", "POST", admins(302), _SANDBOX),
    Row("sandbox_default_test", "POST", (200, 200, 403, 403, 200, LOGIN)),
    Row("sandbox_test", "POST", admins(200)),
    Row("sandbox_report", "GET", (404, 404, 403, 403, 404, LOGIN)),
    Row("sandbox_default", "POST", admins(302)),
    Row("sandbox_archive", "POST", admins(302)),
    Row("sandbox_restore", "POST", admins(302)),
    Row("workspace_stop", "POST", (302, 302, 404, 404, 404, LOGIN)),
)
_OFFERED = {"source": "builtin", "name": "chart", "shown": '{"files": "write"}'}
_NOTHING_ASKED = {"shown": '{"files": "none"}'}
SKILLS = (
    Row("skills", "GET", everybody(200)),
    Row("skill_upload", "POST", _OF_ADMINS),
    Row("skill_install", "POST", _OF_ADMINS, _OFFERED),
    Row("skill", "GET", members(200)),
    Row("skill_switch", "POST", admins(302), {"enabled": "true"}),
    Row("skill_variable", "POST", members(302), {"name": "NOT_ASKED_FOR", "personal": "true"}),
    Row("skill_agree", "POST", admins(302), _NOTHING_ASKED),
    Row("skill_decline", "POST", admins(302)),
    Row("skill_use", "POST", admins(302)),
    Row("skill_remove", "POST", admins(302)),
    Row("skill_restore", "POST", (404, 404, 404, 404, 404, LOGIN)),
)
SITE = (
    Row("health_live", "GET", everybody(200, 200)),
    Row("health_ready", "GET", everybody(503, 503), or_else=200),
)
_OWN_KEY = "the password is asked for first; test_two_factor shows that it is 404 then"
LOG_IN = (
    Row("security", "GET", everybody(200)),
    Row("session_end", "POST", her_own(302)),
    Row("sessions_end_others", "POST", everybody(302)),
    Row("identity_disconnect", "POST", her_own(302)),
    Row("two_factor_required", "GET", everybody(200)),
    Row("space_two_factor", "POST", (302, 403, 403, 403, 302, LOGIN)),
    Row("oidc_login", "GET", everybody(404, 404)),  # none is set up; test_oidc has one
    Row("oidc_login", "POST", everybody(404, 404)),
    Row("oidc_callback", "GET", everybody(404, 404)),
    Row("socialaccount_login_cancelled", "GET", everybody(200, 200)),
    Row("mfa_index", "GET", everybody(302, 302)),
    Row("mfa_list_webauthn", "GET", everybody(302, 302)),
    Row("mfa_authenticate", "GET", everybody(302, 302)),
    Row("mfa_authenticate", "POST", everybody(302, 302)),
    Row("mfa_trust", "GET", everybody(302, 302)),
    Row("mfa_trust", "POST", everybody(302, 302)),
    Row("mfa_reauthenticate", "GET", everybody(302)),  # they have no factor
    Row("mfa_reauthenticate", "POST", everybody(302)),
    Row("mfa_reauthenticate_webauthn", "GET", everybody(302)),
    Row("mfa_reauthenticate_webauthn", "POST", everybody(302)),
    Row("mfa_activate_totp", "GET", everybody(302)),
    Row("mfa_activate_totp", "POST", everybody(302)),
    Row("mfa_deactivate_totp", "GET", everybody(404)),
    Row("mfa_deactivate_totp", "POST", everybody(404)),
    Row("mfa_view_recovery_codes", "GET", everybody(404)),
    Row("mfa_generate_recovery_codes", "GET", everybody(302)),
    Row("mfa_generate_recovery_codes", "POST", everybody(302)),
    Row("mfa_download_recovery_codes", "GET", everybody(404)),
    Row("mfa_add_webauthn", "GET", everybody(302)),
    Row("mfa_add_webauthn", "POST", everybody(302)),
    Row("mfa_edit_webauthn", "GET", everybody(302), open_to_mallory=_OWN_KEY),
    Row("mfa_edit_webauthn", "POST", everybody(302), open_to_mallory=_OWN_KEY),
    Row("mfa_remove_webauthn", "GET", everybody(302), open_to_mallory=_OWN_KEY),
    Row("mfa_remove_webauthn", "POST", everybody(302), open_to_mallory=_OWN_KEY),
    Row("mfa_login_webauthn", "GET", everybody(302, 302)),
    Row("mfa_login_webauthn", "POST", everybody(302, 302)),
)
ALLAUTH = (
    Row("account_login", "GET", everybody(302, 200)),
    Row("account_login", "POST", everybody(302, 200)),
    Row("account_logout", "GET", everybody(200, 302)),
    Row("account_logout", "POST", everybody(302, 302)),
    Row("account_inactive", "GET", everybody(200, 200)),
    Row("account_signup", "GET", everybody(302, 200)),
    Row("account_signup", "POST", everybody(302, 200)),
    Row("account_reauthenticate", "GET", everybody(200)),
    Row("account_reauthenticate", "POST", everybody(200)),
    Row("account_email", "GET", everybody(200)),
    Row("account_email", "POST", everybody(302)),
    Row("account_email_verification_sent", "GET", everybody(200, 200)),
    Row("account_change_password", "GET", everybody(200)),
    Row("account_change_password", "POST", everybody(200)),
    Row("account_set_password", "GET", everybody(302)),
    Row("account_set_password", "POST", everybody(302)),
    Row("account_reset_password", "GET", everybody(200, 200)),
    Row("account_reset_password", "POST", everybody(200, 200)),
    Row("account_reset_password_done", "GET", everybody(200, 200)),
    Row("account_reset_password_from_key", "GET", everybody(200, 200)),
    Row("account_reset_password_from_key", "POST", everybody(200, 200)),
    Row("account_reset_password_from_key_done", "GET", everybody(200, 200)),
    Row("account_confirm_email", "GET", everybody(200, 200)),
    Row("account_confirm_email", "POST", everybody(404, 404)),
    # Signing in by a code that was mailed is not switched on.
    Row("account_confirm_login_code", "GET", everybody(302, 302)),
    Row("account_confirm_login_code", "POST", everybody(302, 302)),
    Row("account_request_reauthentication_code", "GET", everybody(403)),
    Row("account_request_reauthentication_code", "POST", everybody(403)),
    Row("account_confirm_reauthentication_code", "GET", everybody(403)),
    Row("account_confirm_reauthentication_code", "POST", everybody(403)),
)

_KEY = {"name": "Importer", "expires_in": "7", "capabilities": "ingest"}
_OWNERS = (200, 403, 403, 403, 200, LOGIN)
KEYS = (
    Row("keys", "GET", _OWNERS),
    Row("keys", "POST", _OWNERS, _KEY),
    # Who is no owner sees no key.
    Row("key_rotate", "POST", her_own(200), {"grace_hours": "1"}),
    Row("key_revoke", "POST", her_own(302)),
    Row("key_test", "POST", her_own(200)),
    Row("api_playground", "GET", _OWNERS),
    # Not there for anybody but administrators of the installation.
    Row("platform_keys", "GET", everybody(404)),
    Row("platform_keys", "POST", everybody(404), _KEY),
    Row("platform_key_rotate", "POST", everybody(404), {"grace_hours": "1"}),
    Row("platform_key_revoke", "POST", everybody(404)),
)
TABLE = (
    *KEYS,
    *SITE,
    *ACCOUNTS,
    *ORGANISATIONS,
    *LOG_IN,
    *ALLAUTH,
    *PROVIDERS,
    *SANDBOX,
    *SKILLS,
    *AGENTS,
    *KNOWLEDGE,
)
