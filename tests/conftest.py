"""Fixtures of all tests: the run's own database and broker, started only when a test asks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any, cast

import hypothesis
import pytest
import redis
from channels.layers import channel_layers
from django.conf import settings
from pytest_django import DjangoDbBlocker, Settings

from core.addresses import parse_allow_list
from core.embedded.secrets_file import throwaway_secrets
from tests.emptying import use_instead_of_flush
from tests.services import TestServices

pytest_plugins = ["tests.personas"]
use_instead_of_flush()
# A busy machine is no fault of the code: no drawn example has a time limit.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# Before the first connection is made: a pool would keep connections that stop a database's end.
cast(dict[str, Any], settings.DATABASES["default"]["OPTIONS"]).pop("pool", None)
# Tests stay in their process unless they ask for the broker.
settings.CHANNEL_LAYERS["default"] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
settings.WHITENOISE_AUTOREFRESH = True
"""Files are looked for when asked for: to list them for each client costs 40 times its request."""
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Vendors of tests stand on this machine; tests of the address policy take it away again.
settings.SSRF_ALLOW = parse_allow_list(["127.0.0.1"])
# No test asks the table of changed settings; those about it begin by `pin(None)`.
import_module("accounts.platform.settings_live").pin({})
# Not the installation's: a test must give the same result on every machine.
settings.SECRET_KEY = "only-for-tests"
settings.FIELD_ENCRYPTION_KEYS = [throwaway_secrets().field_encryption_key]
settings.FIELD_KEYS_FILE = None


@pytest.fixture(scope="session")
def test_services() -> Iterator[TestServices]:
    """The servers of this run; nothing is started before it is used."""
    found = TestServices(worker=os.environ.get("PYTEST_XDIST_WORKER", "main"))
    yield found
    found.release()


@pytest.fixture(scope="session")
def django_db_setup(
    test_services: TestServices, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Give this process a fresh database; pytest-django's fixtures stand on this one."""
    with django_db_blocker.unblock(), test_services.database(), django_db_blocker.block():
        yield


@pytest.fixture
def broker(test_services: TestServices, settings: Settings) -> str:
    """An empty Valkey of this process alone, used by channels, cache and jobs in this test."""
    url = test_services.redis_url
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    settings.REDIS_URL = url
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}
    }
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            # Channels of pub/sub know no numbered database: the prefix keeps processes apart.
            "CONFIG": {"hosts": [url], "prefix": f"test-{test_services.worker}-{os.getpid()}"},
        }
    }
    return url


@pytest.fixture(autouse=True)
def _fresh_channel_layer() -> Iterator[None]:
    """An in-memory layer lives as long as its process: no group outlives a test."""
    yield
    channel_layers.backends.clear()
