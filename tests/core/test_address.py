"""Addresses that cannot be read: a stated refusal everywhere, never a 500."""

from __future__ import annotations

import pytest

from tests.personas import Persona


@pytest.mark.parametrize(
    "address",
    ["/knowledge/?q=a%00b", "/invitation/x%00y/", "/models/?x=%00", "/conversations/?%00=1"],
)
def test_nul_in_an_address_is_refused_in_words(olivia: Persona, address: str) -> None:
    response = olivia.client.get(address)
    assert response.status_code == 400
    assert "cannot be read" in response.content.decode()


def test_stranger_with_a_nul_is_refused_too(client) -> None:
    assert client.get("/account/login/?next=%00").status_code == 400
