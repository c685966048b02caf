"""The product's own skills run inside of each backend that runs here, from a read-only directory."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from sandbox.contract import ArtifactLimits, ExecResult, SandboxLimits, SkillMount, Workspace
from tests.sandbox.backends.conftest import Tried

SALES = b"region,amount\nNorth,100\nSouth,80\nNorth,120\n"
NAMES = ("chart", "citation", "data-processing", "document-analysis", "report-writing")


@pytest.fixture(scope="module")
def inside(tried: Tried) -> Iterator[Workspace]:
    """A workspace with all skills of ours."""
    mounts = [
        SkillMount(name=name, directory=str(Path(settings.BUILTIN_SKILLS_DIR) / name))
        for name in NAMES
    ]
    limits = SandboxLimits(memory_bytes=512 * 1024 * 1024)
    key = f"skills-{secrets.token_hex(6)}"
    workspace = tried.backend.create(key, limits, mounts)
    workspace.put("/workspace/input/sales.csv", SALES, read_only=True)
    yield workspace
    tried.backend.destroy(key)


def _run(workspace: Workspace, skill: str, script: str, *arguments: str) -> ExecResult:
    argv = ["python3", f"/skills/{skill}/scripts/{script}", *arguments]
    return workspace.exec(argv, timeout_seconds=60)


def _needs_pandas(workspace: Workspace) -> None:
    tried = workspace.exec(
        ["python3", "-c", "import pandas, matplotlib, openpyxl"], timeout_seconds=60
    )
    if tried.exit_code:
        pytest.skip("the sandbox's Python has no pandas here; see WEKNORA_SANDBOX_PYTHON_DIR")


def test_a_skill_stands_read_only(inside: Workspace) -> None:
    argv = ["sh", "-c", "echo x > /skills/chart/SKILL.md || rm -rf /skills/chart"]
    inside.exec(argv, timeout_seconds=20)
    seen = inside.exec(["head", "-c", "3", "/skills/chart/SKILL.md"], timeout_seconds=20)
    assert seen.stdout == b"---"


def test_a_report_is_built_inside(inside: Workspace) -> None:
    plan = b'{"title": "T", "summary": "S.", "sections": [{"heading": "H", "text": "x"}]}'
    inside.put("/workspace/plan.json", plan)
    done = _run(
        inside, "report-writing", "build.py", "--plan", "/workspace/plan.json",
        "--output", "/workspace/output/report.md",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    found = _run(
        inside, "document-analysis", "outline.py", "--input", "/workspace/output/report.md"
    )
    assert b'"title": "H"' in found.stdout


def test_sources_are_formatted_inside(inside: Workspace) -> None:
    inside.put("/workspace/s.json", b'[{"type": "book", "title": "Law", "year": 2019}]')
    done = _run(
        inside, "citation", "cite.py", "--sources", "/workspace/s.json", "--style", "apa",
        "--output", "/workspace/output/refs.md",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert b"publisher" in done.stdout


def test_a_chart_and_a_summary_come_out(inside: Workspace) -> None:
    _needs_pandas(inside)
    source = ("--input", "/workspace/input/sales.csv")
    drawn = _run(
        inside, "chart", "chart.py", *source, "--kind", "bar", "--x", "region", "--y", "amount",
        "--aggregate", "sum", "--output", "/workspace/output/sales.png",
    )  # fmt: skip
    assert drawn.exit_code == 0, drawn.stderr
    summed = _run(
        inside, "data-processing", "summarise.py", *source, "--by", "region", "--values", "amount",
        "--output", "/workspace/output/sales.md",
    )  # fmt: skip
    assert summed.exit_code == 0, summed.stderr
    collected = {each.path: each.data for each in inside.collect(ArtifactLimits()).files}
    assert collected["sales.png"].startswith(b"\x89PNG")
    assert b"| North | 220 |" in collected["sales.md"]
