"""The console as a browser gets it: nothing is missing, nothing is blocked, crontabs are put in words."""

from __future__ import annotations

import mimetypes
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import CrontabSchedule
from playwright.sync_api import ConsoleMessage, Page, Route, expect

from tests.factories.accounts import make_user
from tests.personas import LOGIN_BACKEND

pytestmark = pytest.mark.browser
ORIGIN = "http://127.0.0.1"
"""Trustworthy for browsers, as the product is behind TLS; no server runs there."""
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
"""A folder for pictures of the pages, for people who want to look at them."""


@dataclass
class Console:
    """A browser of an administrator; it gets what the product answers, with its headers."""

    page: Page
    client: Client
    answers: dict[str, HttpResponse] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """What was missing, blocked or failed."""

    def ask(self, path: str) -> None:
        """Let the product answer a request before the browser sends it."""
        self.answers[path] = self.client.get(path, headers={"accept-language": "en"})  # type: ignore[assignment]  # the test's response is one

    def answer(self, route: Route) -> None:
        """Answer a request of the browser."""
        path = route.request.url.removeprefix(ORIGIN)
        if path.startswith("/static/"):
            self._answer_file(route, path.partition("?")[0].removeprefix("/static/"))
            return
        response = self.answers.get(path)
        if response is None or response.status_code != 200:
            self.problems.append(f"{path}: {response.status_code if response else 'not asked'}")
            route.fulfill(status=404)
            return
        headers = {name: str(value) for name, value in response.headers.items()}
        route.fulfill(status=200, headers=headers, body=response.content)

    def _answer_file(self, route: Route, name: str) -> None:
        found = finders.find(name)
        if found is None:
            self.problems.append(f"{name}: missing")
            route.fulfill(status=404)
            return
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        route.fulfill(body=Path(str(found)).read_bytes(), content_type=kind)

    def hear(self, message: ConsoleMessage) -> None:
        """Keep what the browser complains about, but for features that this build does not know."""
        if message.type in ("error", "warning") and "Unrecognized feature" not in message.text:
            self.problems.append(message.text)

    def open(self, name: str, *args: object) -> Page:
        """Open a page of the console and wait until it is at rest."""
        path = reverse(name, args=args)
        for each in (path, reverse("admin:jsi18n")):
            self.ask(each)
        self.page.goto(ORIGIN + path, wait_until="networkidle")
        return self.page


def _picture(page: Page, name: str) -> None:
    if not SHOTS:
        return
    for scheme in ("light", "dark"):
        page.evaluate(
            "on => document.documentElement.classList.toggle('dark', on)", scheme == "dark"
        )
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=str(Path(SHOTS) / f"{name}-{scheme}-{width}.png"), full_page=True)


@pytest.fixture
def console(page: Page, db: None) -> Console:
    """An administrator's browser."""
    cache.clear()
    client = Client()
    root = make_user("root@example.org", is_superuser=True, is_staff=True)
    client.force_login(root, backend=LOGIN_BACKEND)
    console = Console(page=page, client=client)
    page.on("console", console.hear)
    page.on("pageerror", lambda error: console.problems.append(str(error)))
    page.route(f"{ORIGIN}/**", console.answer)
    return console


@pytest.mark.parametrize(
    "name",
    [
        "admin:index",
        "admin:accounts_user_changelist",
        "admin:accounts_user_add",
        "admin:accounts_space_changelist",
        "admin:accounts_systemsetting_changelist",
        "admin:accounts_lens",
        "admin:django_celery_beat_periodictask_changelist",
        "admin:django_celery_beat_periodictask_add",
        "admin:django_celery_beat_crontabschedule_add",
    ],
)
def test_nothing_of_the_console_is_missing_or_blocked(console: Console, name: str) -> None:
    page = console.open(name)
    icon = page.locator("link[rel=icon]").get_attribute("href")
    assert icon is not None, "the browser would ask for /favicon.ico, which is not there"
    assert finders.find(icon.removeprefix("/static/"))
    assert console.problems == []


def test_a_crontab_is_put_in_words_as_it_is_chosen(console: Console) -> None:
    first = CrontabSchedule.objects.create(minute="0", hour="4", timezone="UTC")
    second = CrontabSchedule.objects.create(minute="30", hour="16", timezone="UTC")
    page = console.open("admin:django_celery_beat_periodictask_add")
    words = page.locator("#crontab-words")
    for schedule in (first, second):
        page.select_option("#id_crontab", str(schedule.pk))
        expect(words).to_have_text(str(schedule.human_readable))
    page.select_option("#id_crontab", "")
    expect(words).to_have_text("–")
    _picture(page, "periodic task")
    assert console.problems == []
