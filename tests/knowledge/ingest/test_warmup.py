from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.knowledge.parsers.expectations import DOCUMENTS

PROJECT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from knowledge.ingest.isolated import parse_content
from knowledge.ingest.warmup import await_single_thread, warm_parsers

warm_parsers()
await_single_thread()
files = [(path.name, path.read_bytes()) for path in sorted(Path(sys.argv[1]).iterdir())]
loaded = []
sys.addaudithook(
    lambda event, given: loaded.append((event, given[0])) if event in ("open", "import") else None
)
for name, content in files:
    parse_content(content, name)
print([entry for entry in loaded if not str(entry[1]).startswith("/proc/")])
"""


@pytest.mark.skipif(not DOCUMENTS.exists(), reason="the shared documents are not here")
def test_nothing_is_loaded_after_the_warm_up():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(DOCUMENTS)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == "[]", done.stderr[-2_000:]
