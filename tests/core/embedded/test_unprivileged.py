from __future__ import annotations

import os
import pwd

import pytest

from core.embedded.errors import EmbeddedError
from core.embedded.unprivileged import server_account


def test_ordinary_user_serves_as_itself(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid)
    if tmp_path.stat().st_uid == 0:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        tmp_path = tmp_path / "none"
    assert server_account(tmp_path) is None


def test_data_of_another_user_are_refused_with_a_way_out(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 4242)
    with pytest.raises(EmbeddedError, match="set WEKNORA_DATA_DIR"):
        server_account(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts servers as others")
def test_root_serves_data_as_their_owner(tmp_path):
    nobody = pwd.getpwnam("nobody")
    os.chown(tmp_path, nobody.pw_uid, nobody.pw_gid)
    account = server_account(tmp_path)
    assert account is not None
    assert (account.name, account.uid) == ("nobody", nobody.pw_uid)


def test_root_without_another_account_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", lambda name: pwd.getpwuid(-1))
    with pytest.raises(EmbeddedError, match="start as an ordinary user"):
        server_account(tmp_path / "none")
