"""Memory of the whole product, sixty seconds after one ingestion and one question.

Starts the product in a folder of its own, as `make run` does, puts one document in, asks one question,
waits, and adds up the proportional set size (shared pages are divided among their users) of every
process. Exit code 1 when the sum is over the target.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table
from tests.product import Product

TARGET_MB = 1500
QUESTION = "How long are the archives of the Harbour Office kept?"
TEXT = "# Rope store\n\nThe rope store holds three hundred metres of hemp rope and opens at nine.\n"


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wait", type=float, default=60.0, help="seconds after the question")
    wait = parser.parse_args().wait
    with tempfile.TemporaryDirectory(prefix="weknora-memory-", dir="/var/tmp") as folder:
        product = Product(Path(folder))
        product.start()
        try:
            use_once(product, Path(folder))
            time.sleep(wait)
            rows = measure(Path(folder))
        finally:
            product.stop()
    rows.sort(key=lambda row: -row[1])
    print_table(("process", "PSS MB"), [(name, f"{size:.0f}") for name, size in rows])
    total = sum(size for _, size in rows)
    return finish("memory", f"{total:.0f} MB", target=f"< {TARGET_MB} MB", met=total < TARGET_MB)


def use_once(product: Product, folder: Path) -> None:
    """Ingest one document and ask one question."""
    path = folder / "rope-store.md"
    path.write_text(TEXT, encoding="utf-8")
    taken = product.command("ingest", str(path), "--base", "Demo", "--wait")
    answered = product.command("ask", QUESTION, "--base", "Demo")
    if taken["documents"][0]["state"] != "completed" or answered["finish"] != "answered":
        raise SystemExit(f"it does not work, so there is nothing to measure: {taken} {answered}")


def measure(data_dir: Path) -> list[tuple[str, float]]:
    """Return the proportional set size of each process of the installation, MB."""
    rows = []
    for process in psutil.process_iter():
        try:
            if belongs(process, data_dir):
                name = " ".join(process.cmdline())[-70:] or process.name()
                rows.append((name, process.memory_full_info().pss / 1_000_000))
        except psutil.Error:
            continue  # it ended meanwhile
    return rows


def belongs(process: psutil.Process, data_dir: Path) -> bool:
    """Say whether a process is part of the installation: by its environment or its folder."""
    if process.environ().get("WEKNORA_DATA_DIR") == str(data_dir):
        return True
    return Path(process.cwd()).is_relative_to(data_dir)


if __name__ == "__main__":
    sys.exit(main())
