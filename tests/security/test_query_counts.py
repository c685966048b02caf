"""How many queries a page makes: a committed baseline, the same with few and many restrictions.

`make query-counts` records the baseline anew; a commit that changes it says why.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Organisation
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.models import Document, KnowledgeBase
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.factories.accounts import make_space
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_memory
from tests.factories.providers import make_model
from tests.personas import Persona

BASELINE = Path(__file__).with_name("query_counts.json")
RECORDS = bool(os.environ.get("WEKNORA_RECORD_QUERY_COUNTS"))
MANY = 25


class Pages:
    """A viewer's pages in a space that can be filled with restrictions and shares."""

    def __init__(self, olivia: Persona, victor: Persona, mallory: Persona) -> None:
        self.olivia, self.victor = olivia, victor
        self.base: KnowledgeBase = make_base(olivia.space, name="Handbook", created_by=olivia.user)
        with space_scope(olivia.space.pk):
            self.documents: list[Document] = [
                make_document(self.base, name=f"{n}.txt", texts=[f"Text {n}."], folder_path=f"f{n}")
                for n in range(MANY)
            ]
        self.organisation: Organisation = make_organisation(
            mallory.space, editors=(olivia.space, make_space("Third"))
        )
        self.shared = 0
        self.theirs = [make_base(mallory.space, name=f"Shared {n}") for n in range(MANY)]
        make_model(olivia.space, type="chat", is_default=True)
        agent = make_agent(olivia.space, name="Asker")
        conversation = make_conversation(olivia.space, user=victor.user, agent=agent)
        self.run = make_run(conversation, question="Why?", answer="Because.")
        make_memory(olivia.space, user=victor.user)

    def fill(self, count: int) -> None:
        """Restrict so many folders to victor, and share so many bases with his space."""
        with self.olivia.scope():
            for number in range(count):
                restrict(
                    self.olivia.actor,
                    Place(base_id=self.base.pk, folder_path=f"f{number}"),
                    user_ids=[self.victor.user.pk],
                    group_ids=[],
                )
        while self.theirs and self.shared < count:
            share_base(self.theirs.pop(), self.organisation)
            self.shared += 1

    def counts(self) -> dict[str, int]:
        """Return the queries of each page, asked twice so that caches are warm."""
        found = {}
        for name, url in self._urls().items():
            assert self.victor.client.get(url).status_code == 200, name
            with CaptureQueriesContext(connection) as asked:
                self.victor.client.get(url)
            found[name] = len(asked)
        return found

    def _urls(self) -> dict[str, str]:
        question = "?question=text&limit=5&rerank=never"
        conversation = self.run.conversation_id
        return {
            "bases": reverse("bases"),
            "base": reverse("base", args=[self.base.pk]),
            "base_search": reverse("base_search", args=[self.base.pk]) + question,
            "document": reverse("document", args=[self.documents[0].pk]),
            "chat_new": reverse("chat_new"),
            "conversation": reverse("conversation", args=[conversation]),
            "run": reverse("run", args=[self.run.pk]),
            "run_export": reverse("run_export", args=[self.run.pk]),
            "memory": reverse("memory"),
            "agents": reverse("agents"),
            "approvals": reverse("approvals"),
        }


@pytest.fixture
def pages(
    olivia: Persona, victor: Persona, mallory: Persona, settings: Settings, tmp_path: Path
) -> Pages:
    settings.MEDIA_ROOT = tmp_path
    settings.LIMITS_PER_MINUTE = {"ask": 0, "search": 0, "upload": 0}
    cache.clear()
    return Pages(olivia, victor, mallory)


def test_pages_make_the_queries_of_the_baseline(pages: Pages) -> None:
    pages.fill(1)
    found = pages.counts()
    if RECORDS:
        BASELINE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    assert found == json.loads(BASELINE.read_text(encoding="utf-8"))


def test_many_restrictions_and_shares_make_no_more_queries(pages: Pages) -> None:
    pages.fill(1)
    few = pages.counts()
    pages.fill(MANY)
    assert pages.counts() == few
