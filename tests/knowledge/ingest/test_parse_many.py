"""Many documents one after the other and side by side, as an ingestion reads them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from knowledge.ingest.parse import parse_file
from knowledge.ingest.warmup import _PDF


def test_pdf_is_read_however_many_were_read_before(tmp_path: Path) -> None:
    """A child lacks no descriptor that the PDF library opened in the warm-up."""
    path = tmp_path / "sample.pdf"
    path.write_bytes(_PDF)

    def read(_: int) -> str:
        return parse_file(path, "sample.pdf").text.strip()

    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(read, range(18))) == {"Sample text"}
