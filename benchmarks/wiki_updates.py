"""Twenty updates of documents go through building: what they do not touch must stay, byte for byte.

A model that reads by rule builds pages from documents; then documents change, go or come. No-touch is
the share of sentences on pages that the documents still say (and of a person's own) which stand there
unchanged; facts is the share of what the documents say that the pages say; stale counts sentences that
no document says any more.

    python benchmarks/wiki_updates.py
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._installation import first_owner, throw_away_installation
from benchmarks._report import finish, print_table, progress

if TYPE_CHECKING:
    from accounts.access import Actor
    from benchmarks._wiki_scenarios import Scenario, ScriptedExtractor
    from knowledge.models import KnowledgeBase

NAME = "wiki_updates"
LEAST_FACTS = 0.97


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one scenario."""

    name: str
    kept: int
    to_keep: int
    told: int
    to_tell: int
    stale: int
    calls: int


def measure() -> int:
    """Run the scenarios, print the table; return the exit code."""
    with throw_away_installation(models=False):
        # What stands beside tables is imported when Django is ready.
        from benchmarks._wiki_scenarios import SCENARIOS, ScriptedExtractor  # noqa: PLC0415
        from core.tenancy import space_scope  # noqa: PLC0415

        actor = first_owner()
        model = ScriptedExtractor()
        with (
            space_scope(actor.space_id),
            mock.patch("wiki.build.asking.get_chat_model", return_value=model),
        ):
            _add_model(actor)
            outcomes = []
            for scenario in SCENARIOS:
                outcomes.append(run(actor, scenario, model))
                progress(f"{scenario.name}: done")
    return report(outcomes)


def run(actor: Actor, scenario: Scenario, model: ScriptedExtractor) -> Outcome:
    """Build a scenario's documents, change them, and count."""
    from benchmarks._wiki_scenarios import SUBJECTS, sentences_of  # noqa: PLC0415
    from knowledge.models import KnowledgeBase  # noqa: PLC0415
    from wiki.constants import ReviewMode  # noqa: PLC0415
    from wiki.models import WikiSettings  # noqa: PLC0415

    base = KnowledgeBase.objects.create(space_id=actor.space_id, name=scenario.name)
    WikiSettings.objects.create(space_id=actor.space_id, base=base, review=ReviewMode.OPEN)
    _put(base, dict(scenario.before))
    if scenario.by_hand:
        _write_by_hand(actor, base, scenario.by_hand)
    before = _pages(base)
    model.calls.clear()
    for changes in (
        [scenario.after] if scenario.at_once else [{k: v} for k, v in scenario.after.items()]
    ):
        _put(base, changes)
    after = _pages(base)
    texts = {**scenario.before, **scenario.after}
    said = {s for text in texts.values() if text for s in sentences_of(text)}
    stay = [
        (title, s)
        for title, content in before.items()
        for s in sentences_of(content)
        if s in said or s == scenario.by_hand
    ]
    tell = [(subject, s) for s in sorted(said) for subject in SUBJECTS if subject in s]
    known = {*said, scenario.by_hand}
    return Outcome(
        name=scenario.name,
        kept=sum(s in sentences_of(after.get(title, "")) for title, s in stay),
        to_keep=len(stay),
        told=sum(sentences_of(after.get(subject, "")).count(s) == 1 for subject, s in tell),
        to_tell=len(tell),
        stale=sum(s not in known for content in after.values() for s in sentences_of(content)),
        calls=model.calls.count("write"),
    )


def _steps(scenario: Scenario) -> list[dict[str, str | None]]:
    if scenario.at_once:
        return [scenario.after]
    return [{name: text} for name, text in scenario.after.items()]


def report(outcomes: list[Outcome]) -> int:
    """Print the table; return the exit code."""
    print_table(
        ["scenario", "no-touch", "facts", "stale", "calls"],
        [
            [e.name, f"{e.kept}/{e.to_keep}", f"{e.told}/{e.to_tell}", e.stale, e.calls]
            for e in outcomes
        ],
    )
    no_touch = sum(e.kept for e in outcomes) / sum(e.to_keep for e in outcomes)
    facts = sum(e.told for e in outcomes) / sum(e.to_tell for e in outcomes)
    stale = sum(e.stale for e in outcomes)
    return finish(
        NAME,
        f"no-touch {no_touch:.2f}, facts preserved {facts:.2f}, {stale} stale",
        target=f"no-touch 1.00, facts ≥ {LEAST_FACTS}, 0 stale",
        met=no_touch == 1 and facts >= LEAST_FACTS and stale == 0,
    )


def _add_model(actor: Actor) -> None:
    from accounts.models import Space  # noqa: PLC0415
    from providers.models import AIModel  # noqa: PLC0415
    from tests.factories.providers import make_model  # noqa: PLC0415

    AIModel.objects.filter(type="chat").update(is_default=False)
    make_model(Space.objects.get(pk=actor.space_id), name="Scripted extractor", is_default=True)


def _put(base: KnowledgeBase, texts: dict[str, str | None]) -> None:
    """Bring documents to these texts and let building work off what that begins."""
    from core.jobs.work import work  # noqa: PLC0415
    from core.models import BackgroundJob  # noqa: PLC0415
    from knowledge.constants import DocumentState  # noqa: PLC0415
    from knowledge.models import Document  # noqa: PLC0415
    from knowledge.services.removal import remove_document  # noqa: PLC0415
    from tests.factories.knowledge import make_chunks, make_document  # noqa: PLC0415
    from wiki.build.queue import put_operation  # noqa: PLC0415
    from wiki.constants import OperationKind  # noqa: PLC0415
    from wiki.models import WikiOperation  # noqa: PLC0415

    for name, text in texts.items():
        document = Document.objects.filter(base=base, name=name).first()
        if text is None and document is not None:
            Document.objects.filter(pk=document.pk).update(state=DocumentState.DELETING)
            remove_document(document.pk)
            continue
        passages = [each for each in (text or "").split("\n\n") if each.strip()]
        if document is None:
            document = make_document(base, name=name, texts=passages)
        else:
            document.chunks.all().delete()
            make_chunks(document, texts=passages)
        put_operation(base, document.pk, OperationKind.INGEST, name=name, delay_seconds=0.0)
    for _ in range(60):
        past = "2020-01-01T00:00:00Z"
        WikiOperation.objects.filter(state="pending").update(not_before=past)
        BackgroundJob.objects.filter(queue="enrich", state="queued").update(run_after=past)
        if not work("enrich"):
            return


def _pages(base: KnowledgeBase) -> dict[str, str]:
    """Return what the pages of subjects say, without links."""
    from wiki.constants import PageKind  # noqa: PLC0415
    from wiki.models import WikiPage  # noqa: PLC0415
    from wiki.text.links import replace_links  # noqa: PLC0415

    rows = WikiPage.objects.filter(base=base, trashed_at=None, kind=PageKind.ENTITY)
    return {page.title: replace_links(page.content, lambda link: link.name) for page in rows}


def _write_by_hand(actor: Actor, base: KnowledgeBase, words: str) -> None:

    from wiki.changes.requests import text_of_page  # noqa: PLC0415
    from wiki.constants import AuthorKind, PageKind  # noqa: PLC0415
    from wiki.models import WikiPage  # noqa: PLC0415
    from wiki.pages.writing import publish  # noqa: PLC0415
    from wiki.values import Author, Edit  # noqa: PLC0415

    author = Author(kind=AuthorKind.USER, user_id=actor.user_id)
    for page in WikiPage.objects.filter(base=base, kind=PageKind.ENTITY):
        text = text_of_page(page)
        text = replace(text, content=f"{text.content.rstrip()}\n\n{words}\n")
        publish(page.base, page, Edit(text=text, author=author), expected_version=page.version)


def main() -> int:
    """Read the arguments, measure, return the exit code."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    return measure()


if __name__ == "__main__":
    raise SystemExit(main())
