"""The language of pages: the person's, else the browser's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.services.profile import change_profile
from core.errors import Invalid
from tests.personas import Persona


def language_of(client: Client, accepted: str = "") -> str:
    headers = {"Accept-Language": accepted} if accepted else {}
    return client.get(reverse("profile"), headers=headers).headers["Content-Language"]


def test_the_browsers_language_is_the_default(olivia: Persona) -> None:
    assert language_of(olivia.client, "ja,en;q=0.5") == "ja"
    assert language_of(olivia.client, "fr") == "en"


def test_a_person_chooses_another_and_it_follows_them(olivia: Persona) -> None:
    olivia.client.post(reverse("profile"), {"name": "Olivia", "language": "ko"})
    assert language_of(olivia.client, "ja") == "ko"
    olivia.client.post(reverse("profile"), {"name": "Olivia", "language": ""})
    assert language_of(olivia.client, "ja") == "ja"


def test_a_language_of_one_request_does_not_stay_for_the_next(
    olivia: Persona, victor: Persona
) -> None:
    change_profile(olivia.user, name="Olivia", language="zh-hans")
    assert language_of(olivia.client) == "zh-hans"
    assert language_of(victor.client) == "en"


@pytest.mark.parametrize("language", ["xx", "../en"])
def test_only_offered_languages_can_be_chosen(olivia: Persona, language: str) -> None:
    form = {"name": "Olivia", "language": language}
    assert olivia.client.post(reverse("profile"), form).status_code == 422
    with pytest.raises(Invalid):
        change_profile(olivia.user, name="Olivia", language=language)
