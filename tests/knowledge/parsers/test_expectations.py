from __future__ import annotations

import pytest

from knowledge.ingest.parse import parse_file
from knowledge.parsers.contract import ParsedDocument
from tests.knowledge.parsers.expectations import DOCUMENTS, Check, load_checks

CHECKS = load_checks()
# Checks that do not hold yet. A check that begins to hold must be taken off.
KNOWN_TO_FAIL: frozenset[str] = frozenset()

pytestmark = pytest.mark.skipif(not CHECKS, reason="the shared documents are not here")


@pytest.fixture(scope="module")
def parsed() -> dict[str, ParsedDocument]:
    """Each document once, through the isolated door."""
    names = dict.fromkeys(check.file for check in CHECKS)
    return {name: parse_file(DOCUMENTS / name, name) for name in names}


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_a_real_document_reads_as_expected(check: Check, parsed: dict[str, ParsedDocument]):
    holds = check.holds_for(parsed[check.file].text)
    if str(check) in KNOWN_TO_FAIL:
        assert not holds, "it holds now: take it off KNOWN_TO_FAIL"
    else:
        assert holds


def test_every_known_failure_is_a_check():
    assert {str(check) for check in CHECKS} >= KNOWN_TO_FAIL
