"""Installing: consent where a version asks for more, going back, uninstalling, isolation."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from sandbox.services.skill_install import Installed, agreed_permissions, install_zip
from sandbox.services.skill_variables import set_variable
from sandbox.services.skills import (
    agree,
    choose_version,
    decline,
    remove_skill,
    restore_skill,
    set_enabled,
)
from sandbox.skill_models import Skill, SkillEvent, SkillVariable, SkillVersion
from sandbox.skills.mounts import environment_for, mounts_for, read_skill_file, usable_skills
from sandbox.skills.permissions import Permissions, read_permissions
from tests.personas import Persona
from tests.sandbox.skills.packing import skill_zip, zip_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("skill_files")]
WITH_KEY = "  files: write\n  secrets: [API_KEY]"


def _install(by: Persona, **asked: str) -> Installed:
    return install_zip(by.actor, source=skill_zip(**asked), file_name="adding.zip")


def _agreed(by: Persona, **asked: str) -> Installed:
    made = _install(by, **asked)
    shown = read_permissions(SkillVersion.objects.get(pk=made.version_id).permissions)
    agree(by.actor, version_id=made.version_id, shown=shown)
    return made


def test_nothing_is_used_before_somebody_agreed(adam: Persona) -> None:
    with adam.scope():
        made = _install(adam)
        assert (made.state, usable_skills()) == ("waits", [])
        with pytest.raises(Conflict):
            agree(adam.actor, version_id=made.version_id, shown=Permissions())
        agree(adam.actor, version_id=made.version_id, shown=Permissions(files="write"))
        assert [skill.name for skill in usable_skills()] == ["adding-up"]


def test_a_version_that_asks_for_more_waits_and_the_old_one_stays(adam: Persona) -> None:
    with adam.scope():
        first = _agreed(adam)
        same = _install(adam, version="1.1", script="print(2)\n")
        assert same.state == "in_use"
        wider = _install(adam, version="2.0", permissions="  files: write\n  network: ['*']")
        skill = Skill.objects.get()
        assert (wider.state, skill.current_id) == ("waits", same.version_id)
        assert agreed_permissions(skill) == Permissions(files="write")
        decline(adam.actor, version_id=wider.version_id)
        agree(
            adam.actor,
            version_id=wider.version_id,
            shown=Permissions(files="write", network=("*",)),
        )
        choose_version(adam.actor, version_id=first.version_id)
        skill.refresh_from_db()
        assert skill.current_id == first.version_id
        assert _install(adam).state == "unchanged"


def test_what_was_agreed_to_for_the_old_version_counts_after_going_back(adam: Persona) -> None:
    with adam.scope():
        first = _agreed(adam)
        _agreed(adam, version="2.0", permissions="  files: write\n  network: ['*']")
        choose_version(adam.actor, version_id=first.version_id)
        again = _install(adam, version="3.0", permissions="  network: [a.example.org]")
        assert again.state == "waits"


def test_uninstalling_can_be_undone(adam: Persona) -> None:
    with adam.scope():
        made = _agreed(adam, permissions=WITH_KEY)
        set_variable(
            adam.actor, skill_id=made.skill_id, name="API_KEY", value="s3cret", personal=False
        )
        remove_skill(adam.actor, skill_id=made.skill_id)
        assert usable_skills() == []
        with pytest.raises(NotFound):
            set_enabled(adam.actor, skill_id=made.skill_id, enabled=False)
        restore_skill(adam.actor, skill_id=made.skill_id)
        (skill,) = usable_skills()
        assert environment_for(None, skill)["API_KEY"] == "s3cret"


@pytest.mark.parametrize("who", ["cora", "victor"])
def test_only_administrators_change_skills(
    who: str, adam: Persona, request: pytest.FixtureRequest
) -> None:
    person: Persona = request.getfixturevalue(who)
    with adam.scope():
        made = _agreed(adam)
        for attempt in (
            lambda: _install(person),
            lambda: remove_skill(person.actor, skill_id=made.skill_id),
            lambda: choose_version(person.actor, version_id=made.version_id),
            lambda: set_enabled(person.actor, skill_id=made.skill_id, enabled=False),
        ):
            with pytest.raises(AccessDenied):
                attempt()
        assert len(usable_skills()) == 1


def test_another_space_sees_and_changes_nothing(adam: Persona, mallory: Persona) -> None:
    with adam.scope():
        made = _agreed(adam)
    with mallory.scope():
        assert usable_skills() == []
        assert mounts_for(["adding-up"]) == []
        with pytest.raises(NotFound):
            remove_skill(mallory.actor, skill_id=made.skill_id)
        with pytest.raises(NotFound):
            agree(mallory.actor, version_id=made.version_id, shown=Permissions(files="write"))


def test_own_variables_go_before_the_spaces_and_only_agreed_ones_are_given(
    adam: Persona, cora: Persona, victor: Persona
) -> None:
    with adam.scope():
        made = _agreed(adam, permissions=WITH_KEY)
        put = {"skill_id": made.skill_id, "name": "API_KEY"}
        set_variable(adam.actor, **put, value="of-all", personal=False)  # type: ignore[arg-type]  # a mapping of two types
        set_variable(cora.actor, **put, value="of-cora", personal=True)  # type: ignore[arg-type]  # as above
        with pytest.raises(AccessDenied):
            set_variable(cora.actor, **put, value="x", personal=False)  # type: ignore[arg-type]  # as above
        with pytest.raises(Invalid):
            set_variable(cora.actor, skill_id=made.skill_id, name="OTHER", value="x", personal=True)
        (skill,) = usable_skills()
        assert environment_for(cora.user.pk, skill)["API_KEY"] == "of-cora"
        assert environment_for(victor.user.pk, skill) == {
            "API_KEY": "of-all",
            "WEKNORA_SKILL_DIR": "/skills/adding-up",
        }
        _install(adam, version="2.0", permissions="  files: write")
        (skill,) = usable_skills()
        assert "API_KEY" not in environment_for(cora.user.pk, skill)
        assert SkillVariable.objects.count() == 2


def test_values_are_in_no_log(adam: Persona) -> None:
    with adam.scope():
        made = _agreed(adam, permissions=WITH_KEY)
        set_variable(
            adam.actor, skill_id=made.skill_id, name="API_KEY", value="s3cret-x", personal=False
        )
        written = [*AuditEvent.objects.values_list("details", flat=True)]
        written += [*SkillEvent.objects.values_list("detail", flat=True)]
        assert "API_KEY" in str(written)
        assert "s3cret-x" not in str(written)
        with_raw = SkillVariable.objects.extra(select={"raw": "value"}).values_list(
            "raw", flat=True
        )
        assert "s3cret-x" not in str(list(with_raw))


def test_a_failure_is_in_the_log_with_its_reason(adam: Persona) -> None:
    with adam.scope():
        with pytest.raises(Invalid):
            install_zip(adam.actor, source=zip_of(("README.md", "x")), file_name="bad.zip")
        event = SkillEvent.objects.get()
        assert (event.name, event.action) == ("bad.zip", "failed")
        assert "SKILL.md" in event.detail


def test_files_are_unpacked_once_and_read_only(adam: Persona, skill_files: Path) -> None:
    with adam.scope():
        _agreed(adam)
        (mount,) = mounts_for()
        (again,) = mounts_for(["adding-up"])
        assert mount == again
        script = Path(mount.directory) / "scripts" / "add.py"
        assert script.read_text() == "print(1)\n"
        assert (script.stat().st_mode & 0o777, script.parent.stat().st_mode & 0o777) == (
            0o444,
            0o555,
        )
        assert [each.name for each in Path(mount.directory).parent.iterdir()] == [
            script.parents[1].name
        ]
        (skill,) = usable_skills()
        assert read_skill_file(skill, "scripts/add.py") == b"print(1)\n"
        with pytest.raises(NotFound):
            read_skill_file(skill, "../../settings.py")
