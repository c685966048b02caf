"""The sandbox's Python: packages that stand read-only, so that a chart can be made."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from sandbox.contract import ArtifactLimits
from tests.sandbox.backends.conftest import Shell

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path(settings.SANDBOX_PYTHON_DIR).is_dir(),
        reason="the packages are not installed: sh scripts/sandbox_python.sh",
    ),
]

_CHART = """
import pandas as pd, matplotlib.pyplot as plt
table = pd.read_csv("/workspace/input/sales.csv")
table.plot(x="month", y="boats")
plt.savefig("/workspace/output/chart.png")
table.to_excel("/workspace/output/sales.xlsx")
print(int(table["boats"].sum()), len(pd.read_excel("/workspace/output/sales.xlsx")))
"""


def test_a_table_becomes_a_chart_and_a_workbook(shell: Shell) -> None:
    shell.workspace.put("input/sales.csv", b"month,boats\n1,4\n2,7\n3,9\n", read_only=True)
    result = shell.py(_CHART, seconds=120)

    assert (result.exit_code, result.stdout, result.stderr) == (0, b"20 3\n", b"")
    files = {file.path: file.data for file in shell.workspace.collect(ArtifactLimits()).files}
    assert files["chart.png"].startswith(b"\x89PNG")
    assert set(files) == {"chart.png", "sales.xlsx"}


def test_the_packages_cannot_be_changed(shell: Shell) -> None:
    result = shell.sh(
        "cd /opt/weknora-python && (rm -rf numpy; echo x > planted.py; ls numpy/*.py)"
    )

    assert b"numpy/__init__.py" in result.stdout
    assert not (Path(settings.SANDBOX_PYTHON_DIR) / "planted.py").exists()
