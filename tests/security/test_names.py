"""Names that hide something, through the doors by which people give them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.keys.capabilities import Capability
from accounts.models import ApiKey, Organisation, Space, SpaceGroup, User
from agents.models import Agent
from agents.services.agent_values import AgentValues
from agents.services.agents import create_agent
from knowledge.models import Document, KnowledgeBase
from knowledge.services.bases import create_base
from tests.factories.accounts import make_invitation
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

HIDDEN = "\u202ePay\u200b\u2066roll\u2069\ufeff"
"""Shown as something else than "Payroll"."""


def post(persona: Persona, name: str, fields: dict[str, Any], *args: Any) -> None:
    answer = persona.client.post(reverse(name, args=args), fields)
    assert answer.status_code == 302, answer.content.decode()[:2000]


def test_a_space_and_a_person(olivia: Persona) -> None:
    post(olivia, "space_settings", {"name": HIDDEN})
    assert Space.objects.get(pk=olivia.space.pk).name == "Payroll"
    post(olivia, "profile", {"name": HIDDEN})
    assert User.objects.get(pk=olivia.user.pk).name == "Payroll"


def test_a_person_who_joins(olivia: Persona) -> None:
    link = make_invitation(olivia.space)
    fields = {"name": HIDDEN, "email": "neo@example.org", "password": "blue-lantern-42"}
    assert Client().post(reverse("invitation", args=[link.token]), fields).status_code == 302
    assert User.objects.get(email="neo@example.org").name == "Payroll"


def test_a_group_an_organisation_and_a_key(olivia: Persona) -> None:
    post(olivia, "groups", {"name": HIDDEN})
    post(olivia, "organisations", {"name": HIDDEN})
    key = {"name": HIDDEN, "capabilities": [Capability.choices[0][0]], "expires_in": "30"}
    olivia.client.post(reverse("keys"), key)
    with olivia.scope():
        assert SpaceGroup.objects.get().name == "Payroll"
    assert Organisation.objects.get().name == "Payroll"
    assert ApiKey.objects.get().name == "Payroll"


def test_a_base_and_an_agent(cora: Persona) -> None:
    make_model(cora.space, type="embedding", is_default=True)
    with cora.scope():
        create_base(cora.actor, name=HIDDEN)
        assert KnowledgeBase.objects.get().name == "Payroll"
        create_agent(cora.actor, values=AgentValues(name=HIDDEN))
        assert Agent.objects.filter(name="Payroll").count() == 1


def test_a_file_and_its_folder(cora: Persona) -> None:
    base = make_base(cora.space, created_by=cora.user)
    file = SimpleUploadedFile("invoice\u202efdp.txt", b"words")
    fields = {"file": file, "folder_path": HIDDEN}
    cora.client.post(reverse("base_upload", args=[base.pk]), fields)
    with cora.scope():
        document = Document.objects.get()
    assert (document.folder_path, document.name) == ("Payroll", "invoicefdp.txt")


@pytest.mark.parametrize("name", ["groups", "organisations"])
def test_a_name_of_nothing_that_is_seen_is_no_name(olivia: Persona, name: str) -> None:
    answer = olivia.client.post(reverse(name), {"name": "\u200b\u2066\u3164"})
    assert answer.status_code in (400, 422)
