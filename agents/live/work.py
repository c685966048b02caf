"""What tools leave to look at, from their cards: a run's plan, a called agent's run, files.

The same from stored events and live ones, without a query.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.template.defaultfilters import filesizeformat
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from agents.constants import RunState
from agents.live.run_view import RunView, ToolCard
from agents.runs.family import child_id_of
from sandbox.words import left_out_words

_PLAN, _ARTIFACT, _CHILD, _SANDBOX = "plan", "artifact", "child", "sandbox"
_CALLING = "call_agent"
_PICTURED = {
    "text/csv": "table-2",
    "text/tab-separated-values": "table-2",
    "text/html": "globe",
    "image/png": "image",
}
_HIDDEN_ARGUMENTS = {"publish_artifact": ("content", "name"), "todo_write": ("steps", "task")}
ARGUMENT_CHARS = 2000


def plan_of(view: RunView) -> dict[str, Any] | None:
    """Return the plan as the last call left it, for `chat/_plan.html`."""
    plans = [card.data for card in _cards(view) if is_plan(card)]
    return plans[-1] if plans else None


def is_plan(card: ToolCard) -> bool:
    """Whether the call brought the plan up to date."""
    return card.state == "ok" and card.data.get("display_type") == _PLAN


def files_of(view: RunView) -> list[dict[str, Any]]:
    """Return the files that the run and the agents it called made, each once, for `_file.html`."""
    found: dict[str, dict[str, Any]] = {}
    for card in _cards(view):
        for file in _files(card):
            found[file["id"]] = file
    return [file_context(file) for file in found.values()]


def left_out_of(view: RunView) -> dict[str, Any] | None:
    """Return what of the output could not be given to the person, for `_left_out.html`.

    What the last look at the output says holds: a file that was too large may have been cut since.
    """
    looks = [card.data for card in _cards(view) if "left_out" in card.data]
    if not looks or not looks[-1]["left_out"]:
        return None
    return {
        "files": [(each["path"], left_out_words(each["reason"])) for each in looks[-1]["left_out"]],
        "more": looks[-1].get("left_out_more", 0),
    }


def file_context(file: dict[str, Any]) -> dict[str, Any]:
    """Return what `artifacts/_file.html` takes."""
    size = filesizeformat(file["size_bytes"])
    version = file.get("version", 1)
    facts = _("Version %(n)s · %(size)s") % {"n": version, "size": size} if version > 1 else size
    return {
        "name": file["name"],
        "facts": facts,
        "icon": _PICTURED.get(file.get("media_type", ""), "file-text"),
        "url": reverse("artifact", args=[file["id"]]),
        "download_url": reverse("artifact_download", args=[file["id"]]),
    }


def extras_of(run_id: str, card: ToolCard) -> dict[str, Any]:
    """Return what a tool's card shows beside its result."""
    hidden = _HIDDEN_ARGUMENTS.get(card.name, ())
    return {
        "child": child_of(run_id, card),
        "files": [file_context(file) for file in _files(card)],
        "shown_arguments": {
            name: value for name, value in card.arguments.items() if name not in hidden
        },
        "hides_output": is_plan(card) or card.data.get("display_type") == _ARTIFACT,
    }


def child_of(run_id: str, card: ToolCard) -> dict[str, str] | None:
    """Return the run that the call began; its address is known while it is being worked on."""
    child = card.data.get("child") if card.data.get("display_type") == _CHILD else None
    if isinstance(child, dict):
        return {
            "agent": str(child.get("agent") or ""),
            "state": _state_words(str(child.get("state", "")), int(child.get("rounds", 0))),
            "url": _run_url(str(child.get("run_id", ""))),
        }
    if card.name != _CALLING or card.state != "live":
        return None
    child_id = child_id_of(UUID(run_id), card.call_id)
    return {
        "agent": str(card.arguments.get("agent", "")),
        "state": _("Working"),
        "url": _run_url(str(child_id)),
    }


def _state_words(state: str, rounds: int) -> str:
    label = str(RunState(state).label) if state in RunState.values else state
    if not rounds:
        return label
    return _("%(state)s · rounds: %(n)s") % {"state": label, "n": rounds}


def _run_url(run_id: str) -> str:
    try:
        return reverse("run", args=[run_id])
    except NoReverseMatch:
        return ""


def _files(card: ToolCard) -> list[dict[str, Any]]:
    one = [card.data["file"]] if card.data.get("display_type") == _ARTIFACT else []
    return [
        *one,
        *(
            card.data.get("files", ())
            if card.data.get("display_type") in (_CHILD, _SANDBOX)
            else ()
        ),
    ]


def _cards(view: RunView) -> list[ToolCard]:
    return [card for step in view.steps for card in step.cards]
