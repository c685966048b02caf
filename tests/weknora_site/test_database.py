from __future__ import annotations

import pytest
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from weknora_site import database
from weknora_site.database import (
    DatabaseUnfit,
    make_extensions,
    missing_extensions,
    pending_migrations,
    wait_for_database,
)


@pytest.mark.django_db
def test_embedded_database_lacks_nothing():
    assert missing_extensions() == []


@pytest.mark.django_db
def test_missing_extension_is_named_with_the_statement_that_adds_it():
    found = _with_extensions({**database.EXTENSIONS, "no_such_thing": (1, 0)})
    assert found == [
        "the extension no_such_thing is missing: as a superuser run "
        "CREATE EXTENSION no_such_thing; in this database"
    ]


@pytest.mark.django_db
def test_old_extension_is_named_with_both_versions():
    (found,) = _with_extensions({"vector": (99, 1)})
    assert "0.8.6, 99.1 or newer is needed" in found


@pytest.mark.django_db
def test_old_server_is_named(monkeypatch):
    monkeypatch.setattr(database, "MINIMUM_SERVER", 990_000)
    assert "is too old" in missing_extensions()[0]


@pytest.mark.django_db(transaction=True)
def test_extension_that_may_not_be_added_is_left_to_the_check(monkeypatch):
    # Trusted extensions may be made by the database's owner; this one only by a superuser.
    monkeypatch.setattr(database, "EXTENSIONS", {"file_fdw": (1, 0)})
    make_extensions()
    assert "file_fdw is missing" in missing_extensions()[0]


@pytest.mark.django_db
def test_unapplied_migration_is_pending():
    assert pending_migrations() == []
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    assert pending_migrations() == ["sessions.0001_initial"]


@pytest.mark.django_db
def test_database_that_is_away_is_told_in_words(monkeypatch):
    connection.close()
    monkeypatch.setitem(connections["default"].settings_dict, "PORT", "1")
    with pytest.raises(DatabaseUnfit, match="does not answer"):
        wait_for_database(timeout_seconds=0)


def test_versions_compare_by_number():
    assert database._version("0.10.1") > database._version("0.8.6")
    assert database._version("1.6beta1") == (1, 6)
    assert database._version("devel") == ()


def _with_extensions(extensions: dict[str, tuple[int, ...]]) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "EXTENSIONS", extensions)
        return missing_extensions()
