"""The product's own skills are good bundles, and their scripts do what their instructions say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from sandbox.skills.bundle import read_directory

NAMES = ["chart", "citation", "data-processing", "document-analysis", "report-writing"]
SALES = "region,month,amount\nNorth,2025-01,€100\nSouth,2025-01,80\nNorth,2025-02,120.5\nSouth,2025-02,\n"


def _interpreter() -> str:
    """Return a Python that has pandas and matplotlib: the sandbox's, or that of the test's run."""
    places = [os.environ.get("WEKNORA_SKILL_PYTHON", ""), sys.executable, "/usr/bin/python3"]
    for each in filter(None, places):
        tried = subprocess.run(
            [each, "-c", "import pandas, matplotlib, openpyxl"], capture_output=True, check=False
        )
        if tried.returncode == 0:
            return each
    pytest.skip("no Python here has pandas, matplotlib and openpyxl; set WEKNORA_SKILL_PYTHON")


def _run(
    tmp_path: Path, skill: str, script: str, *arguments: str, python: str = sys.executable
) -> tuple[int, Any, str]:
    directory = Path(settings.BUILTIN_SKILLS_DIR) / skill
    done = subprocess.run(
        [python, "-B", str(directory / "scripts" / script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=tmp_path,
        env={
            "WEKNORA_SKILL_DIR": str(directory),
            "HOME": str(tmp_path),
            "MPLCONFIGDIR": str(tmp_path),
            "PYTHONWARNINGS": "ignore",
        },
    )
    told = json.loads(done.stdout) if done.stdout.strip() else None
    return done.returncode, told, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_skill_of_ours_is_a_good_bundle(name: str) -> None:
    with read_directory(Path(settings.BUILTIN_SKILLS_DIR) / name) as bundle:
        paths = {each.path for each in bundle.files}
        assert bundle.manifest.name == name
        assert bundle.manifest.version
        assert bundle.manifest.permissions.network == ()
        assert set(re.findall(r"scripts/[a-z_]+\.py", bundle.manifest.body)) <= paths


def test_a_chart_is_drawn_and_its_numbers_told(tmp_path: Path) -> None:
    python = _interpreter()
    (tmp_path / "sales.csv").write_text(SALES)
    common = ("--input", "sales.csv", "--x", "region", "--y", "amount")
    code, told, error = _run(
        tmp_path, "chart", "chart.py", *common, "--kind", "bar", "--aggregate", "sum",
        "--title", "Sales", "--output", "output/sales.png", python=python,
    )  # fmt: skip
    assert code == 0, error
    assert told["rows_used"] == 3
    assert told["rows_left_out"] == 1
    assert (told["smallest"], told["largest"]) == (80.0, 220.5)
    assert (tmp_path / "output" / "sales.png").read_bytes().startswith(b"\x89PNG")
    code, told, error = _run(
        tmp_path, "chart", "chart.py", *common, "--kind", "bar", "--output", "x.png", python=python
    )
    assert code == 2
    assert "--aggregate" in error


@pytest.mark.parametrize("kind", ["line", "area", "scatter", "pie", "hist", "box"])
def test_every_kind_of_chart_is_drawn(kind: str, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("day,a,b\n2025-01-01,1,2\n2025-01-02,3,1\n2025-01-03,2,2\n")
    code, _told, error = _run(
        tmp_path, "chart", "chart.py", "--input", "n.csv", "--x", "day", "--y", "a,b",
        "--kind", kind, "--output", "n.svg", python=_interpreter(),
    )  # fmt: skip
    assert code == 0, error
    assert "<svg" in (tmp_path / "n.svg").read_text()


def test_a_table_is_described_cleaned_and_summarised(tmp_path: Path) -> None:
    python = _interpreter()
    (tmp_path / "sales.csv").write_text(SALES + " North ,2025-02,120.5\n,,\n")
    code, told, error = _run(
        tmp_path, "data-processing", "describe.py", "--input", "sales.csv", python=python
    )
    assert code == 0, error
    assert (told["rows"], told["empty_rows"]) == (6, 1)
    assert any("numbers stored as text" in each for each in told["warnings"])
    code, told, error = _run(
        tmp_path, "data-processing", "clean.py", "--input", "sales.csv", "--output", "clean.xlsx",
        "--trim", "--drop-empty", "--drop-duplicates", "--numbers", "amount", python=python,
    )  # fmt: skip
    assert code == 0, error
    assert (told["empty_rows_dropped"], told["duplicates_dropped"], told["rows"]) == (1, 1, 4)
    code, told, error = _run(
        tmp_path, "data-processing", "summarise.py", "--input", "clean.xlsx", "--by", "region",
        "--where", "amount>90", "--values", "amount", "--how", "sum,count", "--output", "s.md",
        python=python,
    )  # fmt: skip
    assert code == 0, error
    assert told["first"] == [{"region": "North", "amount_sum": 220.5, "amount_count": 2}]
    assert "| North | 220.5 | 2 |" in (tmp_path / "s.md").read_text()


def test_a_document_is_outlined_and_compared(tmp_path: Path) -> None:
    old = "# Lease\n\nThe rent is EUR 900 a month, due on 2025-03-01.\n\nPets are allowed.\n"
    new = "# Lease\n\nThe rent is EUR 950 a month, due on 2025-03-01.\n\nSmoking is not allowed here at all.\n"
    (tmp_path / "old.md").write_text(old)
    (tmp_path / "new.md").write_text(new)
    _code, told, error = _run(tmp_path, "document-analysis", "outline.py", "--input", "old.md")
    assert not error
    assert [each["title"] for each in told["headings"]] == ["Lease"]
    assert told["amounts"] == [{"line": 3, "text": "EUR 900"}]
    assert told["dates"] == [{"line": 3, "text": "2025-03-01"}]
    _code, told, error = _run(
        tmp_path, "document-analysis", "compare.py", "--old", "old.md", "--new", "new.md",
        "--output", "changes.md",
    )  # fmt: skip
    assert not error
    assert (told["changed"], told["added"], told["removed"]) == (1, 1, 1)
    assert "900" in told["changed_numbers"][0]["old"]
    assert "**The rent is EUR 950" in (tmp_path / "changes.md").read_text()


def test_a_report_is_built_and_its_gaps_are_found(tmp_path: Path) -> None:
    plan = {
        "title": "Rents",
        "summary": "They rose.",
        "sections": [{"heading": "What changed", "text": "By 4 % [1].", "table": "rents.csv"}],
        "sources": ["Register, 2025"],
    }
    (tmp_path / "rents.csv").write_text("region,rent\nNorth,9\n")
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    code, _told, error = _run(
        tmp_path, "report-writing", "build.py", "--plan", "plan.json", "--output", "r.md"
    )
    assert code == 0, error
    assert "**Table 1.**\n\n| region | rent |" in (tmp_path / "r.md").read_text()
    code, told, _error = _run(tmp_path, "report-writing", "check.py", "--input", "r.md")
    assert (code, told["problems"]) == (0, [])
    (tmp_path / "r.md").write_text("# R\n\n### Deep\n\nTODO and [3]. ![x](no.png)\n")
    code, told, _error = _run(tmp_path, "report-writing", "check.py", "--input", "r.md")
    assert code == 1
    assert len(told["problems"]) == 5


APA = (
    "Garcia, A., & Chen, W. (2021). Heat in cities. *Urban Studies*, *12*(3), 45-61."
    " https://doi.org/10.1000/xyz"
)
GBT = "[1] GARCIA A, CHEN W. Heat in cities[J]. Urban Studies, 2021, 12(3): 45-61."


@pytest.mark.parametrize(("style", "expected"), [("apa", APA), ("gbt7714", GBT)])
def test_sources_are_formatted_and_gaps_are_told(style: str, expected: str, tmp_path: Path) -> None:
    sources = [
        {"type": "article", "authors": ["Garcia, Ana", "Chen, Wei"], "title": "Heat in cities",
         "journal": "Urban Studies", "year": 2021, "volume": "12", "issue": "3", "pages": "45-61",
         "doi": "10.1000/xyz"},
        {"type": "book", "authors": ["Smith, John"], "title": "Law of leases", "year": 2019},
    ]  # fmt: skip
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    code, told, error = _run(
        tmp_path, "citation", "cite.py", "--sources", "sources.json", "--style", style,
        "--output", "out.md",
    )  # fmt: skip
    assert code == 0, error
    assert (tmp_path / "out.md").read_text().split("\n\n")[0].strip() == expected
    assert told["missing"] == [{"source": 2, "title": "Law of leases", "missing": ["publisher"]}]
    (tmp_path / "t.md").write_text("So it is [1-3].")
    code, told, _error = _run(
        tmp_path, "citation", "check.py", "--text", "t.md", "--sources", "sources.json"
    )
    assert (code, told["problems"]) == (1, ["the mark [3] has no source"])
