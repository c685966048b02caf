"""Promises of the catalogues: each word of the code stands in each language, whole and with its placeholders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, trans_real

from accounts.services.profile import change_profile
from scripts.translations import (
    LANGUAGES,
    PACKAGES,
    ROOT,
    collect,
    compile_all,
    forms_of,
    missing,
    read_catalogue,
)
from tests.personas import Persona

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\{\w+\}\}|\{\w*\}|</?\w+>")
ERRORS = {
    *("ProjectError", "NotFound", "AccessDenied", "NotSignedIn", "Invalid", "Conflict", "Gone"),
    *("TooLarge", "Refused", "LimitReached", "ServiceFailed", "ServiceUnavailable"),
}
FOR_PROGRAMS: tuple[str, ...] = (
    *(
        "core/http.py",
        "core/dialling.py",
        "weknora_site/",
        "integrations/api/",
        "accounts/keys/authentication.py",
    ),
    *("accounts/keys/external.py", "accounts/keys/platform.py", "knowledge/retrieval/"),
    *("agents/runs/", "agents/tools/", "agents/artifact_types.py", "agents/services/artifacts.py"),
    *("agents/views/events.py", "agents/views/suggestions.py", "knowledge/ingest/"),
    "accounts/organisations/pages.py",
)
"""Whose errors are for callers of the API, for models that call tools, and for logs: in English."""
NO_FORM_OFFERS_IT: tuple[str, ...] = (
    *("accounts/organisations/founding.py", "accounts/organisations/joining.py"),
    *("accounts/organisations/membership.py", "accounts/organisations/sharing.py"),
    *("accounts/platform/erasure.py", "accounts/platform/settings.py"),
    *("accounts/services/invitations.py", "accounts/services/members.py"),
    *("accounts/services/profile.py", "accounts/services/spaces.py", "agents/configuration.py"),
    *("agents/prompts/templates.py", "agents/queries.py", "agents/services/agent_values.py"),
    *("agents/suggestions/events.py", "knowledge/queries.py", "providers/parameters.py"),
    *("providers/services/clients.py", "providers/services/connection.py", "providers/values.py"),
)
"""Where an error that repeats a value is about one that pages do not let people choose."""


@pytest.fixture(scope="module")
def words() -> Catalog:
    return collect()


@pytest.fixture(params=LANGUAGES)
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    return read_catalogue(request.param)


@pytest.fixture
def compiled() -> Iterator[None]:
    """Read the catalogues anew: they may have been compiled after this process began."""
    compile_all()
    trans_real._translations.clear()  # type: ignore[attr-defined]  # the cache has no public door
    translation.activate(settings.LANGUAGE_CODE)
    yield
    translation.activate(settings.LANGUAGE_CODE)


def keys(catalogue: Catalog) -> set[tuple[str, str | None]]:
    return {
        (each.id if isinstance(each.id, str) else each.id[0], each.context)
        for each in catalogue
        if each.id
    }


def test_each_word_of_the_code_stands_in_the_catalogue_and_no_other(
    words: Catalog, catalogue: Catalog
) -> None:
    assert keys(words) - keys(catalogue) == set(), "run scripts/translations.py update"
    assert keys(catalogue) - keys(words) == set(), "run scripts/translations.py update"
    assert not catalogue.obsolete


def test_each_word_is_translated_in_all_its_forms(catalogue: Catalog) -> None:
    assert [each.id for each in missing(catalogue)] == []
    for each in catalogue:
        if isinstance(each.id, tuple):
            assert len(forms_of(each)) == catalogue.num_plurals, each.id


def test_no_translation_is_a_guess(catalogue: Catalog) -> None:
    assert [each.id for each in catalogue if each.id and each.fuzzy] == []


def test_a_translation_has_the_placeholders_of_its_word(catalogue: Catalog) -> None:
    wrong = []
    for each in catalogue:
        if not each.id:
            continue
        # The last form has them all; a form for one may go without the number.
        word = each.id if isinstance(each.id, str) else each.id[-1]
        forms = forms_of(each)
        wanted = sorted(set(PLACEHOLDER.findall(word)))
        wrong += [form for form in forms if sorted(set(PLACEHOLDER.findall(form))) != wanted]
    assert wrong == []


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [("zh-CN,zh;q=0.9", "登录"), ("ja", "サインイン"), ("ko-KR", "로그인")],
)
@pytest.mark.usefixtures("compiled", "db")
def test_a_page_speaks_the_browsers_language(accepted: str, expected: str) -> None:
    page = Client().get(reverse("account_login"), headers={"Accept-Language": accepted})
    assert expected in page.text


@pytest.mark.usefixtures("compiled")
def test_the_persons_own_choice_beats_the_browser(olivia: Persona) -> None:
    change_profile(olivia.user, name="Olivia", language="ko")
    page = olivia.client.get(reverse("profile"), headers={"Accept-Language": "ja"})
    with translation.override("ko"):
        korean = gettext("Language of mails"), gettext("Profile")
    with translation.override("ja"):
        japanese = gettext("Profile")
    assert korean[1] in page.text
    assert japanese not in page.text


@pytest.mark.usefixtures("compiled")
def test_an_error_of_a_service_is_told_in_the_persons_language(olivia: Persona) -> None:
    headers = {"Accept-Language": "zh-hans"}
    page = olivia.client.get(reverse("group", args=[999_999]), headers=headers)
    assert page.status_code == 404
    assert "没有此群组" in page.text


def plain_errors(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """Yield the errors of a file whose text is written there without gettext."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ERRORS and isinstance(node.args[0], ast.Constant | ast.JoinedStr):
            yield node.lineno, node.args[0]


def test_errors_that_people_meet_go_through_gettext() -> None:
    left = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for line, text in plain_errors(path):
                excused = FOR_PROGRAMS
                if isinstance(text, ast.JoinedStr):
                    excused += NO_FORM_OFFERS_IT
                if not name.startswith(excused):
                    left.append(f"{name}:{line} {ast.unparse(text)}")
    assert left == []
