"""A base changes its embedding model while it is asked and filled: is any question the worse for it?

Threads ask all the time, each question the very words of some passage, so that the passage must come
with a cosine of one; where it does not, its vector was lost. Meanwhile a second index is built, its
worker is killed once, files arrive, the base is cut over, the change undone, begun again, cut over and
finished, and the old vectors are removed. Failures (an exception, a warning) and lost hits are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._embedding_service import start_embedding_service
from benchmarks._forks import fork, kill, wait_for
from benchmarks._reembedding_findings import Findings
from benchmarks._report import finish as report_end, print_table, progress
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "reembedding"
SETTINGS = {
    "WEKNORA_LOG_LEVEL": "ERROR",
    "WEKNORA_LOCAL_MODELS": "false",
    "WEKNORA_SSRF_ALLOW": "127.0.0.1",
    "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
}


def measure(
    files: int, *, threads: int, milliseconds: float, seconds: float, folder: Path
) -> Findings:
    """Run the whole change under load; `folder` is empty and holds the installation."""
    service, address = start_embedding_service(milliseconds)
    environment = SETTINGS | {"WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    report = folder / "report.json"
    try:
        with embedded_services(Layout(folder), durable=False):
            image.load(environment)
            progress("the database is made")
            wait_for(fork(image.prepare), what=NAME)
            reader = fork(image.worker("ingest"))
            try:
                task = lambda: _change(files, threads, seconds, address, report)  # noqa: E731
                wait_for(fork(task), what=NAME)
            finally:
                kill(reader)
    finally:
        service.terminate()
        service.wait()
    return Findings(**json.loads(report.read_text(encoding="utf-8")))


def _change(files: int, threads: int, seconds: float, address: str, report: Path) -> int:
    from benchmarks._reembedding_load import change_under_load  # noqa: PLC0415  after the settings

    found = change_under_load(files, threads=threads, seconds=seconds, address=address)
    report.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return 0


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--milliseconds", type=float, default=5.0, help="a passage takes")
    parser.add_argument("--seconds", type=float, default=10.0, help="each phase lasts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weknora-reembedding-", dir="/var/tmp") as folder:
        found = measure(
            arguments.files,
            threads=arguments.threads,
            milliseconds=arguments.milliseconds,
            seconds=arguments.seconds,
            folder=Path(folder),
        )
    rows: list[tuple[str, object]] = [
        (f"questions {name}", f"{count} (p50 {found.p50_ms[name]} ms)")
        for name, count in found.questions.items()
    ]
    rows += [(f"{name}, ms", each) for name, each in found.switches_ms.items()]
    rows += [("files that arrived meanwhile", found.arrived), ("passages", found.passages)]
    rows += [("failures", len(found.failures)), ("lost hits", len(found.lost))]
    rows += [("old vectors left over", found.leftover)]
    print_table(("counted", "number"), rows)
    for each in [*found.failures[:5], *found.lost[:5]]:
        progress(each)
    asked = sum(found.questions.values())
    verdict = f"{len(found.failures)} failures, {len(found.lost)} lost hits of {asked} questions"
    met = not found.failures and not found.lost and not found.leftover and asked > 0
    return report_end(NAME, verdict, target="0 and 0", met=met)


if __name__ == "__main__":
    sys.exit(main())
