"""Sample contexts of pages, for tests that look at templates and scripts without a database."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.template.loader import render_to_string

from core.markdown import render_markdown
from knowledge.base_settings import RetrievalOptions
from knowledge.search_forms import RetrievalTestForm

AT = datetime(2026, 11, 30, 10, 42, tzinfo=UTC)
RUN_ID = "7d3a5c1e-0000-4000-8000-000000000001"
ANSWER = """Both offices grant **paid leave** [1]. 上海**“每年五天”**从子女满三周岁 [2].

| | Berlin | Shanghai |
|---|---|--:|
| Weeks | 14 [2] | 22 [1] |

```python
weeks = 22
```
"""


class Person:
    """A signed-in person with a name that is too long for the sidebar."""

    email = "ada@example.org"
    initials = "AL"
    is_staff = True
    is_authenticated = True

    def __str__(self) -> str:
        return "Augusta Ada King-Noel, Countess of Lovelace"


def shell() -> dict[str, Any]:
    space = SimpleNamespace(pk=1, name="People team")
    membership = SimpleNamespace(space_id=1, space=space, get_role_display="Owner")
    conversation = SimpleNamespace(
        title="Parental leave", url="#", is_current=True, is_running=True, is_waiting=False
    )
    group = SimpleNamespace(label="Today", conversations=[conversation])
    return {
        "csrf_token": "token",
        "user": Person(),
        "space": space,
        "membership": membership,
        "memberships": [membership],
        "conversation_groups": [group],
    }


class RenameForm(forms.Form):
    title = forms.CharField(label="Title", initial="Parental leave")


def user_turn(text: str = "How long is parental leave?") -> SimpleNamespace:
    return SimpleNamespace(kind="user", id="m1", text=text)


def tool_call(state: str = "ok") -> dict[str, Any]:
    hit = {"title": "员工手册", "location": "p. 42", "text": "生育假", "url": "#", "percent": 94}
    return {
        "run_id": RUN_ID,
        "call_id": "c1",
        "icon": "search",
        "name": "Search knowledge",
        "state": state,
        "subtitle": "1 passage",
        "duration": "412 ms",
        "arguments": [("Question", "leave")],
        "hits": [hit],
        "output": "",
        "error": "",
    }


def agent_turn(**changes: Any) -> SimpleNamespace:
    thought = {"kind": "thought", "id": "s1", "text": "Look.", "duration": "2 s", "is_live": False}
    tools = {"kind": "tools", "id": "s2", "state": "ok", "calls": [tool_call()], "duration": "1 s"}
    source = {"title": "员工手册.pdf", "location": "p. 42", "url": "#chunk", "state": ""}
    values: dict[str, Any] = {
        "kind": "agent",
        "id": RUN_ID,
        "run_id": RUN_ID,
        "agent_name": "Smart reasoning",
        "model_label": "extractive, no language model",
        "at": AT,
        "state": "done",
        "headline": "Worked for 9.4 s · 1 step",
        "seq": 0,
        "is_open": False,
        "steps": [thought, tools],
        "answer_html": render_markdown(ANSWER, run_id=RUN_ID),
        "answer_markdown": "",
        "problem": None,
        "sources": [
            {**source, "number": 1, "quote": "生育假六十天"},
            {**source, "number": 2, "quote": "", "url": "", "state": "hidden"},
        ],
        "actions": {"meta": "e5 · 9.4 s", "ask_again": "How long?"},
    }
    return SimpleNamespace(**{**values, **changes})


def open_turn(**changes: Any) -> SimpleNamespace:
    values = {"is_open": True, "state": "running", "headline": "Thinking", "sources": []}
    return agent_turn(**{**values, "answer_html": "", "actions": None, "steps": [], **changes})


def chat_page(*turns: SimpleNamespace) -> str:
    return render_to_string(
        "chat/page.html",
        {
            **shell(),
            "conversation": SimpleNamespace(
                id="00000000-0000-0000-0000-000000000001", title="Leave"
            ),
            "socket_url": "/ws/conversations/1/",
            "turns": turns,
            "rename_form": RenameForm(),
            **_choices(),
        },
    )


def new_chat_page() -> str:
    context = {"starters": ["How long is leave?", "谁批准报销？"], "can_add_base": True}
    return render_to_string(
        "chat/new.html", {**shell(), **context, **_choices(), "action_url": "/"}
    )


def _choices() -> dict[str, Any]:
    return {
        "agents": [{"id": "a1", "name": "Smart reasoning"}, {"id": "a2", "name": "Quick answer"}],
        "agent_id": "a2",
        "bases": [{"id": "b1", "name": "HR handbook"}, {"id": "b2", "name": "法务合同库"}],
        "base_ids": [],
    }


def status(state: str, label: str, **more: Any) -> dict[str, Any]:
    stages = [{"state": each, "label": each} for each in ("done", "running", "waiting", "failed")]
    values = {"progress": "Reading page 7 of 11", "stages": stages, "reason": "", "warnings": []}
    return {"state": state, "label": label, **values, **more}


def document(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-0000-0000-00000000000{number}",
        "name": f"Leave policy {number}.pdf",
        "folder": "policies/2026",
        "icon": "file-text",
        "kind_label": "PDF",
        "size_bytes": 3_100_000,
        "page_count": 11,
        "chunk_count": 42,
        "added_at": AT,
        "added_by": "Ada",
        "status": status("completed", "Ready"),
        "can_retry": True,
        "can_cancel": False,
        "can_delete": True,
        **changes,
    }


def documents() -> list[dict[str, Any]]:
    return [
        document(1, status=status("processing", "Processing"), can_cancel=True, can_retry=False),
        document(2),
        document(3, status=status("refused", "Refused", reason="It is a zip bomb.")),
        document(4, status=status("needs_input", "Needs input", reason="Type its password.")),
        document(5, status=status("completed", "Ready", warnings=["Page 3 has no text."])),
    ]


def _base() -> dict[str, Any]:
    return {
        "base": {
            "id": "00000000-0000-0000-0000-000000000001",
            "name": "HR handbook",
            "description": "Rules for leave.",
        },
        "facts": "5 documents · 210 passages",
        "document_count": 5,
        "may_change": True,
        "may_edit": True,
        "may_delete": True,
    }


def base_context(**changes: Any) -> dict[str, Any]:
    return {
        **shell(),
        **_base(),
        "rows": documents(),
        "page_obj": Paginator(range(5), 10).page(1),
        "is_busy": False,
        "search": "",
        "state": "",
        "states": [("completed", "Ready")],
        "accept": ".pdf,.txt",
        "type_names": "PDF, text",
        "max_bytes": 1_000_000,
        "batch_files": 50,
        "batch_bytes": 100_000_000,
        "max_label": "1 MB",
        **changes,
    }


def base_page(**changes: Any) -> str:
    return render_to_string("knowledge/base.html", base_context(**changes))


def bases_page() -> str:
    card = {
        "id": "00000000-0000-0000-0000-000000000001",
        "name": "HR handbook",
        "description": "Rules.",
        "document_count": 12,
        "open_count": 2,
        "bad_count": 1,
        "owner": "Mei Lin",
        "changed_at": AT,
    }
    context = {"cards": [card], "search": "", "may_create": True}
    return render_to_string("knowledge/bases.html", {**shell(), **context})


def document_page() -> str:
    passages = [
        {
            "id": f"p{number}",
            "number": number,
            "location": f"p. {number}",
            "heading": "3 Leave",
            "html": render_markdown(ANSWER),
            "is_target": number == 3,
            "is_enabled": number != 2,
        }
        for number in range(1, 9)
    ]
    context = {
        "document": document(2),
        "is_busy": False,
        "passages": passages,
        "page_obj": Paginator(range(8), 10).page(1),
        "target_missing": False,
        "file_url": "#",
    }
    return render_to_string("knowledge/document.html", {**shell(), **_base(), **context})


def search_page() -> str:
    names = (("Together", ""), ("Meaning", "m2"), ("Words", "m3"))
    scores = [{"label": name, "value": "0.94", "percent": 94, "tone": tone} for name, tone in names]
    place = {"title": "员工手册", "location": "p. 42", "url": "#"}
    result = {
        "summary": "1 passage in 214 ms",
        "counts": ["40 found"],
        "hits": [{**place, "number": 1, "text": "生育假", "scores": scores, "move": "3 up"}],
        "dropped": [{**place, "reason": "Below the lowest score"}],
        "nothing": "",
    }
    filters = {
        "wanted": {"folder": "Contracts", "file_type": "pdf", "metadata_key": "customer"},
        "types": [("pdf", "PDF"), ("txt", "Text")],
        "tags": [{"id": 1, "name": "Red", "color": "", "is_chosen": True}],
        "is_open": True,
    }
    form = RetrievalTestForm(RetrievalOptions(), {"question": ""})
    context = {"form": form, "result": result, "filters": filters}
    return render_to_string("knowledge/search.html", {**shell(), **_base(), **context})
