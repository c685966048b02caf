"""The pages: what waits is said, consent counts for what was shown, and no value is ever on them."""

from __future__ import annotations

import json
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from sandbox.skill_models import Skill, SkillVariable, SkillVersion
from sandbox.skills.mounts import usable_skills
from tests.personas import Persona
from tests.sandbox.skills.packing import skill_zip, zip_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("skill_files")]


def _upload(by: Persona, data: bytes) -> str:
    file = SimpleUploadedFile("skill.zip", data, content_type="application/zip")
    answer = by.client.post(reverse("skill_upload"), {"file": file}, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def _agree(by: Persona, skill_version: SkillVersion) -> None:
    shown = json.dumps(skill_version.permissions)
    by.client.post(reverse("skill_agree", args=[skill_version.pk]), {"shown": shown})


def test_an_uploaded_skill_is_used_after_consent_to_what_is_shown(adam: Persona) -> None:
    asked = "  files: write\n  network: [api.example.org]"
    page = _upload(adam, skill_zip(permissions=asked).getvalue())
    assert "Sends to and receives from: api.example.org" in page
    with adam.scope():
        version = SkillVersion.objects.get()
        answer = adam.client.post(
            reverse("skill_agree", args=[version.pk]), {"shown": '{"files": "write"}'}, follow=True
        )
        assert "other permissions" in unescape(answer.content.decode())
        assert usable_skills() == []
        _agree(adam, version)
        assert len(usable_skills()) == 1


def test_a_wider_version_says_what_is_more(adam: Persona) -> None:
    _upload(adam, skill_zip().getvalue())
    with adam.scope():
        _agree(adam, SkillVersion.objects.get())
    page = _upload(adam, skill_zip(version="2.0", permissions="  network: ['*']").getvalue())
    assert "More than the version in use:" in page
    assert "any address on the network" in page
    assert "waits for consent" in adam.client.get(reverse("skills")).content.decode()


def test_what_cannot_be_installed_says_why_and_stands_in_the_log(adam: Persona) -> None:
    page = _upload(adam, zip_of(("README.md", "x")).getvalue())
    assert page.count("There is no SKILL.md") == 2
    assert "No skill is installed" in page


def test_a_value_is_on_no_page(adam: Persona, victor: Persona) -> None:
    _upload(adam, skill_zip(permissions="  secrets: [API_KEY]").getvalue())
    with adam.scope():
        skill = Skill.objects.get()
        _agree(adam, SkillVersion.objects.get())
    form = {"name": "API_KEY", "value": "s3cret-of-all", "personal": "false"}
    answer = adam.client.post(reverse("skill_variable", args=[skill.pk]), form, follow=True)
    pages = [answer.content.decode()]
    bad = {**form, "name": "OTHER", "value": "s3cret-of-all"}
    for url in (reverse("skill", args=[skill.pk]), reverse("skills")):
        pages += [each.client.get(url).content.decode() for each in (adam, victor)]
    pages.append(
        adam.client.post(
            reverse("skill_variable", args=[skill.pk]), bad, follow=True
        ).content.decode()
    )
    assert "s3cret-of-all" not in "".join(pages)
    assert "The space's is used." in unescape(pages[0])
    with adam.scope():
        assert SkillVariable.objects.get().value == "s3cret-of-all"


def test_one_of_ours_is_installed_with_one_button(adam: Persona) -> None:
    page = unescape(adam.client.get(reverse("skills")).content.decode())
    assert "Reads the files of the conversation and makes new ones." in page
    form = {"source": "builtin", "name": "chart", "shown": '{"files": "write"}'}
    adam.client.post(reverse("skill_install"), form)
    with adam.scope():
        assert [skill.name for skill in usable_skills()] == ["chart"]
    form["shown"] = '{"files": "none"}'
    form["name"] = "citation"
    adam.client.post(reverse("skill_install"), form)
    with adam.scope():
        assert len(usable_skills()) == 1
