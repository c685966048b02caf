"""`manage.py erase`: what it prints and how it ends."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.platform.erasure_holds import set_legal_hold
from tests.factories.accounts import make_user
from tests.personas import Persona


@pytest.mark.django_db(transaction=True)
def test_it_erases_without_a_worker_and_prints_the_report(
    broker: str, capsys: pytest.CaptureFixture[str]
) -> None:
    del broker
    user = make_user("quartzlantern@example.org")
    call_command("erase", "person", user.email, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["state"] == "done"
    assert found["report"]["erased"]["accounts.User"] == 1
    assert not User.objects.filter(pk=user.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("text", "code"), [("olivia@example.org", 1), ("quartzlantern", 0)])
def test_the_check_says_where_a_text_is_left(
    olivia: Persona,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    code: int,
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{text}\n"))
    with pytest.raises(SystemExit) as ended:
        call_command("erase", "check")
    assert ended.value.code == code
    assert ("accounts_user.email" in capsys.readouterr().out) == bool(code)


@pytest.mark.django_db
def test_a_legal_hold_ends_it_with_code_2(
    olivia: Persona, cora: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    set_legal_hold(None, cora.user, held=True)
    with pytest.raises(SystemExit) as ended:
        call_command("erase", "person", cora.user.email)
    assert ended.value.code == 2
    assert "legal hold, set by a command on" in capsys.readouterr().err
