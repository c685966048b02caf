"""Page, API, command, quick answer and tool find the same passages in the same order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from io import StringIO
from typing import Any, get_args
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings as hypothesis_settings, strategies as st
from pytest_django import Settings

from accounts.keys.capabilities import Capability
from agents.answers.quick import quick_steps
from agents.configuration import AgentConfig
from agents.engine.aliases import Aliases
from agents.engine.cancel import CancelToken
from agents.engine.errors import ToolFailed
from agents.engine.events import ToolCallFinished
from agents.engine.state import RunState
from agents.engine.tools import ToolContext
from agents.tools.deps import RunDeps
from agents.tools.knowledge import knowledge_search
from agents.tools.searching import Only
from core.tenancy import space_scope
from knowledge.base_settings import Fusion, RetrievalOptions
from knowledge.models import Document, DocumentTag, KnowledgeBase, Tag
from tests.factories.keys import HeldKey, make_key
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import PreferringReranker, WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db

TEXTS = {
    "a": "The notice period for consultants is two weeks to the end of a month.",
    "b": "The notice period for employees is four weeks, for managers three months.",
    "c": "Flights within Europe are booked in economy class by the travel desk.",
    "d": "Notice of travel is given two weeks before the flight, to the manager.",
    "e": "Invoice RO-20221108 has a grand total of 4,210 euros, payable in ten days.",
    "f": "顾问的通知期为两周，至月底为止。",
}
QUESTIONS = (
    "notice period of consultants",
    "two weeks",
    "Who gives notice of travel to a manager?",
    "RO-20221108",
    "顾问的通知期是多长？",
    "How tall is the lighthouse?",
)
FOLDER = {"field": "folder", "operator": "equals", "value": "Rules"}


@dataclass
class Doors:
    """The ways to one base, all as its owner."""

    owner: Persona
    base: KnowledgeBase
    key: HeldKey

    def page(self, question: str, folder: str) -> list[str]:
        asked = urlencode({"question": question, "folder": folder})
        url = f"{reverse('base_search', args=[self.base.pk])}?{asked}"
        shown = self.owner.client.get(url, headers={"HX-Request": "true"}).content.decode()
        hits = shown.partition('<details class="dropped">')[0]
        return list(dict.fromkeys(re.findall(r"\?chunk=([0-9a-f-]{36})", hits)))

    def api(self, question: str, folder: str) -> list[str]:
        body: dict[str, Any] = {"query": question, "knowledge_base_id": str(self.base.pk)}
        if folder:
            body["filter"] = {"all_of": [{**FOLDER, "value": folder}]}
        return [hit["id"] for hit in self.ask_api(body).json()["data"]]

    def ask_api(self, body: dict[str, Any]) -> Any:
        return Client().post(
            "/api/v1/knowledge-search",
            body,
            content_type="application/json",
            headers=self.key.headers,
        )

    def command(self, question: str, folder: str, limit: int) -> list[str]:
        wanted = json.dumps({"all_of": [{**FOLDER, "value": folder}]})
        arguments = ["--filter", wanted] if folder else []
        arguments += ["--base", self.base.name, "-k", str(limit), "--json"]
        printed = StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", printed)
            try:
                call_command("search", question, *arguments, "--space", str(self.base.space_id))
            except SystemExit as end:
                assert end.code == 1  # noqa: PT017  nothing was found
        return [hit["chunk_id"] for hit in json.loads(printed.getvalue())["hits"]]

    def tool(self, question: str, folder: str) -> list[str]:
        return self.call_tool(question, Only(folder=folder) if folder else None)

    def call_tool(self, question: str, only: Only | None) -> list[str]:
        context = ToolContext(
            deps=self._deps(), call_id="1", aliases=Aliases(), cancel=CancelToken()
        )
        arguments = {"queries": [question], "base_ids": None, "only": only}
        with self.owner.scope():
            result = async_to_sync(knowledge_search.body)(context, arguments)
        return [hit["chunk_id"] for hit in result.data["hits"]]

    def quick(self, question: str) -> list[str]:
        state = RunState(mode="quick", question=question, messages=[], question_at=0)
        with self.owner.scope():
            search = async_to_sync(_searched)(state, self._deps())
        return [hit["chunk_id"] for hit in search.data["hits"]]

    def _deps(self) -> RunDeps:
        return RunDeps(
            actor=self.owner.actor,
            base_ids=(self.base.pk,),
            run_id=uuid4(),
            conversation_id=uuid4(),
            agent_id=uuid4(),
            # A question asked again in other words finds more, by its own setting.
            config=AgentConfig(enable_query_expansion=False),
        )


async def _searched(state: RunState, deps: RunDeps) -> ToolCallFinished:
    steps = [step async for step in quick_steps(state, deps, model=None)]
    (search,) = (step for step in steps if isinstance(step, ToolCallFinished))
    return search


async def in_this_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return await sync_to_async(function)(*args, **kwargs)


@pytest.fixture
def doors(olivia: Persona, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Doors:
    settings.LIMITS_PER_MINUTE = dict.fromkeys(settings.LIMITS_PER_MINUTE, 1_000_000)
    cache.clear()
    words = WordModel()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: words)
    monkeypatch.setattr(
        "knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: PreferringReranker("two")
    )
    # The product's own closes connections, and with them the test's transaction.
    for module in ("agents.tools.knowledge", "agents.answers.quick"):
        monkeypatch.setattr(f"{module}.in_db", in_this_thread)
    base = make_base(olivia.space, name="Handbook", created_by=olivia.user)
    with olivia.scope():
        for name, text in TEXTS.items():
            document = add_document(base, text, name=f"{name}.txt")
            folder = "Rules" if name in "abf" else "Other"
            Document.objects.filter(pk=document.pk).update(folder_path=folder)
    return Doors(owner=olivia, base=base, key=make_key(olivia.space, Capability.RETRIEVE))


OPTIONS = st.builds(
    RetrievalOptions,
    limit=st.integers(1, 8),
    keyword_weight=st.sampled_from([0.0, 1.0, 2.0]),
    rerank=st.sampled_from(["auto", "always", "never"]),
    fusion=st.sampled_from(get_args(Fusion)),
    dense_threshold=st.sampled_from([0.0, 0.2, 0.6]),
    keyword_threshold=st.sampled_from([0.0, 0.3]),
    rerank_threshold=st.sampled_from([0.0, 0.5]),
    mmr_lambda=st.sampled_from([1.0, 0.5]),
    neighbours=st.integers(0, 2),
)


@hypothesis_settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(options=OPTIONS, question=st.sampled_from(QUESTIONS), folder=st.sampled_from(["", "Rules"]))
def test_every_door_finds_the_same(
    doors: Doors, options: RetrievalOptions, question: str, folder: str
) -> None:
    with space_scope(doors.base.space_id):
        KnowledgeBase.objects.filter(pk=doors.base.pk).update(
            options={"retrieval": options.model_dump()}
        )
    found = doors.page(question, folder)
    assert len(found) <= options.limit
    assert doors.api(question, folder) == found
    assert doors.command(question, folder, options.limit) == found
    assert doors.tool(question, folder) == found
    if not folder:
        assert doors.quick(question) == found


def test_the_doors_are_compared_on_something(doors: Doors) -> None:
    found = doors.page(QUESTIONS[0], "")
    assert len(found) == len(TEXTS)
    assert len(doors.page(QUESTIONS[0], "Rules")) == 3
    assert doors.page(QUESTIONS[0], "Nowhere") == []


@pytest.mark.parametrize(
    "query",
    ["from=yesterday", "to=2024-02-30", "folder=a&field=b&from=2024", "tag=&type=&from=soon"],
)
def test_an_address_with_a_filter_that_makes_no_sense_finds_nothing(
    doors: Doors, query: str
) -> None:
    url = f"{reverse('base_search', args=[doors.base.pk])}?question=notice&{query}"
    shown = doors.owner.client.get(url, headers={"HX-Request": "true"})
    assert shown.status_code == 200
    assert "?chunk=" not in shown.content.decode()


def test_the_page_shows_the_filter_that_is_set(doors: Doors) -> None:
    url = f"{reverse('base_search', args=[doors.base.pk])}?question=notice&folder=Rules&type=txt"
    shown = doors.owner.client.get(url).content.decode()
    assert '<details class="more" open>' in shown
    assert 'name="folder" value="Rules"' in shown
    assert '<option value="txt" selected>' in shown


def test_the_api_filters_by_tag_and_refuses_what_is_no_filter(doors: Doors) -> None:
    with doors.owner.scope():
        document = Document.objects.get(name="b.txt")
        tag = Tag.objects.create(space_id=document.space_id, base=doors.base, name="Red")
        DocumentTag.objects.create(space_id=document.space_id, document=document, tag=tag)
        (chunk,) = document.chunks.all()
    body = {"query": "notice", "knowledge_base_id": str(doors.base.pk)}
    found = doors.ask_api({**body, "tag_ids": [str(tag.pk)]})
    assert [hit["id"] for hit in found.json()["data"]] == [str(chunk.pk)]
    both = {"tag_ids": [tag.pk], "filter": {"any_of": [{**FOLDER, "value": "Other"}]}}
    assert doors.ask_api({**body, **both}).json()["data"] == []
    mistakes: tuple[dict[str, Any], ...] = (
        {"filter": {"all_of": [{**FOLDER, "field": "colour"}]}},
        {"filter": {"any_of": []}},
        {"filter": {}},
        {"filter": "Rules"},
        {"tag_ids": ["red"]},
    )
    for wrong in mistakes:
        assert doors.ask_api({**body, **wrong}).status_code == 400, wrong


@pytest.mark.parametrize(
    "only", [Only(folder="a\x00b"), Only(fields={"": 1}), Only(fields={"x\x00": "y"})]
)
def test_the_tool_tells_the_model_that_its_filter_makes_no_sense(doors: Doors, only: Only) -> None:
    with pytest.raises(ToolFailed):
        doors.call_tool("notice", only)


def test_the_tool_filters_by_what_a_model_can_name(doors: Doors) -> None:
    with doors.owner.scope():
        Document.objects.filter(name="c.txt").update(metadata={"class": "economy"})
    found = doors.call_tool("travel", Only(file_types=["txt"], fields={"class": "economy"}))
    assert len(found) == 1
    assert doors.call_tool("travel", Only(updated_to=date(2001, 1, 1))) == []
    assert len(doors.call_tool("travel", Only(updated_from=date(2001, 1, 1)))) == len(TEXTS)


@pytest.mark.parametrize("text", ["{", "[" * 100, "{}", '{"all_of": [{"field": "x"}]}'])
def test_the_command_refuses_what_is_no_filter(doors: Doors, text: str) -> None:
    with pytest.raises((CommandError, SystemExit)):
        call_command("search", "notice", "--base", doors.base.name, "--filter", text)
