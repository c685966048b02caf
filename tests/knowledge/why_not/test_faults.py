"""Ten of the forty faults of `benchmarks/why_not.py`: the explanation names the stage to blame."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from benchmarks import _faults as faults
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

TEN = (
    *("no text", "failed", "not parsed", "cut", "disabled"),
    *("other model", "not permitted", "no candidate", "limit", "left out of the answer"),
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", TEN)
def test_a_seeded_fault_is_named(
    olivia: Persona,
    victor: Persona,
    words: WordModel,
    settings: Settings,
    tmp_path: object,
    name: str,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    bench = faults.make_bench(olivia.membership, victor.membership, seed=7)
    fault, stage = faults.told(bench, faults.FAULTS[name])
    assert stage == fault.stage


def test_there_are_forty() -> None:
    assert len(faults.FAULTS) * faults.ROUNDS == 40
