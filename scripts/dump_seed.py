"""Dumps the database of a freshly seeded installation, for tests that upgrade from this version.

Run it once for each released version: `.venv/bin/python scripts/dump_seed.py tests/data/upgrades/NAME.sql.gz`.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.embedded.binaries import find_wheels
from tests.product import Product, wait_for

QUESTION = "How long are the archives of the Harbour Office kept?"


def main(target: Path) -> None:
    """Start, wait until the sample is read, ask one question, dump."""
    with tempfile.TemporaryDirectory(prefix="weknora-seed-", dir="/var/tmp") as folder:
        product = Product(Path(folder))
        product.start()
        try:
            wait_for(
                lambda: (
                    not product.rows("SELECT 1 FROM knowledge_document WHERE state <> 'completed'")
                ),
                seconds=120,
                what="the sample base is read",
            )
            product.command("ask", QUESTION, "--base", "Demo")
            dump(product, target)
        finally:
            product.stop()


def dump(product: Product, target: Path) -> None:
    """Write the dump, without owners, so that any role can load it."""
    binary = find_wheels().postgres_package / "pginstall" / "bin" / "pg_dump"
    done = subprocess.run(  # noqa: S603  our own binary and address
        [str(binary), "--no-owner", "--no-privileges", product.database_url],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(target, "wb", mtime=0) as compressed:
        compressed.write(done.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
