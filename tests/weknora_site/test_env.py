from __future__ import annotations

import math

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given, strategies as st

from weknora_site import env

NAME = "WEKNORA_TEST_VALUE"


@pytest.fixture
def set_value(monkeypatch):
    monkeypatch.delenv(NAME, raising=False)
    return lambda value: monkeypatch.setenv(NAME, value)


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_switch_is_on(set_value, value):
    set_value(value)
    assert env.boolean(NAME, default=False) is True


@pytest.mark.parametrize("value", ["0", "False", "no", "OFF"])
def test_switch_is_off(set_value, value):
    set_value(value)
    assert env.boolean(NAME, default=True) is False


@pytest.mark.parametrize("value", ["", "   "])
def test_blank_means_the_default(set_value, value):
    set_value(value)
    assert env.boolean(NAME, default=True) is True
    assert env.integer(NAME, 7) == 7
    assert env.decimal(NAME, 1.5) == 1.5
    assert env.words(NAME, ["a"]) == ["a"]
    assert env.text(NAME, "x") == "x"
    assert env.secret(NAME, "s") == "s"


def test_odd_switch_names_variable_value_and_choices(set_value):
    set_value("maybe")
    with pytest.raises(ImproperlyConfigured, match=r"WEKNORA_TEST_VALUE='maybe'.*true, false"):
        env.boolean(NAME, default=False)


@pytest.mark.parametrize("value", ["1.5", "many", "-1", "11", "0x5"])
def test_number_out_of_bounds_is_named(set_value, value):
    set_value(value)
    with pytest.raises(ImproperlyConfigured, match=r"WEKNORA_TEST_VALUE=.*from 0 to 10"):
        env.integer(NAME, 5, at_least=0, at_most=10)


@pytest.mark.parametrize("value", ["nan", "inf", "-0.1", "x"])
def test_odd_decimal_is_named(set_value, value):
    set_value(value)
    with pytest.raises(ImproperlyConfigured, match="WEKNORA_TEST_VALUE"):
        env.decimal(NAME, 5.0)


@given(st.floats(min_value=0, max_value=1e9, allow_nan=False))
def test_decimal_comes_back(value):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, repr(value))
        assert math.isclose(env.decimal(NAME, 1.0), value)


def test_list_is_cut_at_commas(set_value):
    set_value(" a, b ,,c ")
    assert env.words(NAME) == ["a", "b", "c"]


def test_choice_is_one_of_them(set_value):
    set_value("TLS")
    assert env.choice(NAME, "none", choices=("tls", "none")) == "tls"
    set_value("ssl")
    with pytest.raises(ImproperlyConfigured, match="one of tls, none"):
        env.choice(NAME, "none", choices=("tls", "none"))


def test_path_is_absolute(set_value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    set_value("here")
    assert env.path(NAME, tmp_path) == tmp_path / "here"


def test_secret_comes_from_a_file(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("s3cret\n")
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "key"))
    assert env.secret(NAME) == "s3cret"


def test_secret_given_twice_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv(NAME, "a")
    monkeypatch.setenv(f"{NAME}_FILE", "b")
    with pytest.raises(ImproperlyConfigured, match="are both set"):
        env.secret(NAME)


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe"])
def test_unreadable_secret_file_is_named_without_its_content(monkeypatch, tmp_path, content):
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="WEKNORA_TEST_VALUE_FILE="):
        env.secret(NAME)


def test_database_address_is_taken_apart(set_value):
    set_value("postgresql://user%40x:p%2Fw@db.example:6543/name?sslmode=require&options=-c%20a")
    assert env.database(NAME, "") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "name",
        "USER": "user@x",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require", "options": "-c a"},
    }


@pytest.mark.parametrize(
    "value",
    ["mysql://u:secretpw@h/n", "postgresql://u:secretpw@h", "postgresql://u:secretpw@h:x/n", "x"],
)
def test_odd_database_address_is_named_without_its_password(set_value, value):
    set_value(value)
    with pytest.raises(ImproperlyConfigured, match="WEKNORA_TEST_VALUE") as caught:
        env.database(NAME, "")
    assert "secretpw" not in str(caught.value)


def test_valkey_address_is_a_redis_address(set_value):
    set_value("valkeys://:pw@host:6380/1")
    assert env.redis_url(NAME, "") == "rediss://:pw@host:6380/1"


@pytest.mark.parametrize("value", ["http://:secretpw@host", "redis://", "host:6379"])
def test_odd_broker_address_is_named_without_its_password(set_value, value):
    set_value(value)
    with pytest.raises(ImproperlyConfigured, match="redis://") as caught:
        env.redis_url(NAME, "")
    assert "secretpw" not in str(caught.value)
