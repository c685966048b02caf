"""Fixtures of the installation's own pages and services."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import User
from accounts.platform import settings_live
from tests.factories.accounts import make_user


@pytest.fixture
def live_settings(db: None) -> Iterator[None]:
    """Changed settings are asked of the database, as in the product."""
    settings_live.pin(None)
    settings_live.forget()
    yield
    settings_live.pin({})


@pytest.fixture
def root(db: None) -> User:
    """An administrator of the installation, in no space."""
    return make_user("root@example.org", name="Root", is_staff=True, is_superuser=True)
