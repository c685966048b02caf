"""The built-in models' real server, once a session, and a vendor that plays recorded bytes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.providers.local_server import LocalServer, models_data_dir, running_server
from tests.providers.vendor import Vendor, running_vendor


@pytest.fixture(scope="session")
def local_server() -> Iterator[LocalServer]:
    """The server with the converted model."""
    with running_server(models_data_dir()) as server:
        yield server


@pytest.fixture
def local_models(local_server: LocalServer, settings: Settings) -> LocalServer:
    """The server, with settings that lead to it."""
    settings.LOCAL_MODELS_URL = local_server.url
    settings.LOCAL_MODELS_KEY = local_server.key
    return local_server


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    """Somebody else's model service."""
    with running_vendor() as running:
        yield running
