"""No case is forgotten: each has a test named after it, or the issue that will bring one."""

from __future__ import annotations

import re

import pytest

from core.embedded.layout import REPOSITORY_DIR
from tests.security.cases import CASES, LATER

NAMED = re.compile(r"^(?:async )?def test_s(\d+)_", re.MULTILINE)


def cases_with_tests() -> set[int]:
    found: set[int] = set()
    for path in (REPOSITORY_DIR / "tests").rglob("test_*.py"):
        found |= {int(number) for number in NAMED.findall(path.read_text(encoding="utf-8"))}
    return found


def test_there_are_thirty_nine_cases() -> None:
    assert sorted(CASES) == list(range(1, 40))


@pytest.mark.parametrize("number", sorted(CASES))
def test_a_case_has_its_test_or_its_issue(number: int) -> None:
    assert (number in cases_with_tests()) != (number in LATER), (
        f"S{number} ({CASES[number]}): name a test `test_s{number}_…` after it and take it out of"
        " LATER, or say there which issue brings it"
    )


def test_no_test_is_named_after_a_case_that_does_not_exist() -> None:
    assert cases_with_tests() <= set(CASES)
