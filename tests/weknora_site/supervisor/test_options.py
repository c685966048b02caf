from __future__ import annotations

import pytest

from weknora_site.supervisor.options import ALL_PARTS, UsageError, environment, parse


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("HOST", "PORT", "LOCAL_MODELS", "DATA_DIR"):
        monkeypatch.delenv(f"WEKNORA_{name}", raising=False)
    for name in ("DATABASE_URL", "REDIS_URL", "DATABASE_URL_FILE", "REDIS_URL_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_everything_starts_on_this_machine_by_default():
    options = parse([])
    assert (options.host, options.port, options.parts) == ("127.0.0.1", 8000, ALL_PARTS)
    assert options.url == "http://localhost:8000/"
    assert options.embedded_needed


def test_argument_goes_before_variable(monkeypatch):
    monkeypatch.setenv("WEKNORA_PORT", "9000")
    assert parse([]).port == 9000
    assert parse(["--port", "9001"]).port == 9001


@pytest.mark.parametrize("port", ["0", "65536", "web", "-1", "8000.5"])
def test_unusable_port_is_named(port):
    with pytest.raises(UsageError, match="cannot be used"):
        parse([f"--port={port}"])


def test_unknown_part_is_named_with_the_known_ones():
    with pytest.raises(UsageError, match="models, web, runs, ingest"):
        parse(["--parts", "web,cache"])


def test_models_are_left_out_when_they_are_off(monkeypatch):
    monkeypatch.setenv("WEKNORA_LOCAL_MODELS", "off")
    assert "models" not in parse([]).parts


def test_services_are_the_owners_when_both_addresses_are_given(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://host/name")
    assert parse([]).embedded_needed
    monkeypatch.setenv("REDIS_URL_FILE", "/run/secrets/redis")
    assert not parse([]).embedded_needed


def test_parts_get_the_address_that_was_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("WEKNORA_DATA_DIR", str(tmp_path))
    found = environment(parse(["--host", "0.0.0.0", "--port", "81"]))
    assert found["WEKNORA_HOST"] == "0.0.0.0"
    assert found["WEKNORA_PORT"] == "81"
    assert found["WEKNORA_DATA_DIR"] == str(tmp_path)
