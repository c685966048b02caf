from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.isolation import MIB, Limits
from knowledge.ingest import parse
from knowledge.ingest.helper_process import HelperProcess, HelperUnavailable
from knowledge.ingest.parse import ParseCancelled, ParseRefused, parse_file
from tests.knowledge.ingest.hostile import flate_bomb
from tests.process import ends_within

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "hello.txt"
    path.write_text("Hello there.", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def slow_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small PDF that takes minutes to read."""
    path = tmp_path_factory.mktemp("slow") / "slow.pdf"
    path.write_bytes(flate_bomb())
    return path


def running() -> int:
    process_id = parse._PARSERS.process_id
    assert process_id is not None
    return process_id


def test_a_document_comes_with_its_type_and_parser(text_file):
    document = parse_file(text_file, "hello.txt")
    assert document.text == "Hello there."
    assert document.parser == "text/1"
    assert document.metadata["type"] == "txt"


def test_a_wrong_extension_is_read_by_its_content_with_a_warning(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"{\\rtf1\\ansi hello\\par}")
    document = parse_file(path, "letter.docx")
    assert document.text == "hello"
    assert "is Rich text" in document.warnings[0]


@pytest.mark.parametrize("name", ["../secret.txt", "a/../../b.txt", "nul\x00.txt", "/etc/x", ""])
def test_a_name_that_leads_elsewhere_is_refused(text_file, name):
    with pytest.raises(ParseRefused) as refusal:
        parse_file(text_file, name)
    assert refusal.value.code == "hostile"


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "empty.pdf"
    path.touch()
    with pytest.raises(ParseRefused, match="empty") as refusal:
        parse_file(path, "empty.pdf")
    assert refusal.value.code == "empty"


def test_a_file_of_200_megabytes_is_refused_unread(tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(ParseRefused, match="200 MB") as refusal:
        parse_file(path, "large.txt")
    assert refusal.value.code == "too_large"


@pytest.mark.parametrize(
    ("content", "name"), [(b" \n \n", "blank.txt"), (b"<html><body></body></html>", "blank.html")]
)
def test_a_document_without_text_is_refused(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ParseRefused) as refusal:
        parse_file(path, name)
    assert refusal.value.code == "no_text"


def test_work_over_its_time_is_stopped(slow_file):
    started = time.monotonic()
    with pytest.raises(ParseRefused, match="longer than 1 second") as refusal:
        parse_file(slow_file, "slow.pdf", limits=Limits(wall_seconds=1.0))
    assert refusal.value.code == "timed_out"
    assert time.monotonic() - started < 8


def test_work_over_its_processor_time_is_stopped(slow_file):
    with pytest.raises(ParseRefused) as refusal:
        parse_file(slow_file, "slow.pdf", limits=Limits(cpu_seconds=1))
    assert refusal.value.code == "timed_out"


def test_work_over_its_memory_is_stopped(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_bytes(b"1,2,3,4,5,6,7,8\n" * 500_000)
    with pytest.raises(ParseRefused) as refusal:
        parse_file(path, "wide.csv", limits=Limits(memory_bytes=450 * MIB))
    assert refusal.value.code == "out_of_memory"


def test_work_over_its_resident_memory_is_stopped(slow_file):
    plenty = Limits(memory_bytes=16_384 * MIB, cpu_seconds=100, wall_seconds=100)
    with pytest.raises(ParseRefused) as refusal:
        parse_file(slow_file, "slow.pdf", limits=plenty)
    assert refusal.value.code == "out_of_memory"


def test_more_text_than_one_document_may_have_is_refused(tmp_path):
    path = tmp_path / "long.txt"
    path.write_bytes(b"words " * 500_000)
    with pytest.raises(ParseRefused, match="more text") as refusal:
        parse_file(path, "long.txt", limits=Limits(file_size_bytes=MIB))
    assert refusal.value.code == "too_large"


def test_a_long_text_comes_back_whole(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("长篇文字 " * 2_000_000, encoding="utf-8")
    assert len(parse_file(path, "long.txt").text) == 10_000_000


def test_a_cancelled_parse_ends_at_once(slow_file):
    asked = 0

    def should_cancel() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    started = time.monotonic()
    with pytest.raises(ParseCancelled):
        parse_file(slow_file, "slow.pdf", should_cancel=should_cancel)
    assert time.monotonic() - started < 5
    assert children_end(running())


def children_end(process_id: int) -> bool:
    listing = Path(f"/proc/{process_id}/task/{process_id}/children")
    deadline = time.monotonic() + 10
    while listing.read_text(encoding="utf-8").split():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_many_threads_share_one_parser_process(tmp_path):
    paths = []
    for number in range(12):
        path = tmp_path / f"{number}.md"
        path.write_text(f"# Title {number}\n\ntext {number}", encoding="utf-8")
        paths.append(path)
    with ThreadPoolExecutor(6) as pool:
        documents = list(pool.map(lambda path: parse_file(path, path.name), paths))
    assert [document.title for document in documents] == [f"Title {n}" for n in range(12)]


def test_a_killed_parser_process_is_replaced(text_file):
    parse_file(text_file, "hello.txt")
    first = running()
    os.kill(first, signal.SIGKILL)
    assert parse_file(text_file, "hello.txt").text == "Hello there."
    assert running() != first


def test_the_parser_process_holds_no_secret_and_is_nobody(text_file, monkeypatch):
    parse_file(text_file, "hello.txt")
    place = Path(f"/proc/{running()}")
    status = place.joinpath("status").read_text(encoding="utf-8")
    if os.geteuid() == 0:
        assert "\nUid:\t65534\t65534\t65534\t65534\n" in status
        assert b"SECRET" not in place.joinpath("environ").read_bytes()
    assert "\nThreads:\t1\n" in status


def test_an_idle_parser_process_ends_and_the_next_file_starts_another(text_file):
    process = HelperProcess("knowledge.ingest.zygote", idle_seconds=0.2)
    request = {"work": "parse", "name": "hello.txt"}
    with text_file.open("rb") as content:
        arguments = {"content": content.fileno(), "limits": Limits(), "should_cancel": None}
        process.run(request, **arguments)
        first = process.process_id
        assert first is None or ends_within(first, seconds=10)
        outcome = process.run(request, **arguments)
    assert outcome.answer is not None
    assert "document" in outcome.answer
    process.stop()


def test_a_parser_process_that_cannot_start_is_no_fault_of_the_file(text_file):
    process = HelperProcess("knowledge.ingest.there_is_no_such_module")
    with text_file.open("rb") as content, pytest.raises(HelperUnavailable, match="requirements"):
        process.run({}, content=content.fileno(), limits=Limits(), should_cancel=None)
    process.stop()


def test_a_forked_process_starts_its_own(text_file):
    parse_file(text_file, "hello.txt")
    ours = running()
    process_id = os.fork()
    if process_id == 0:
        try:
            fine = parse_file(text_file, "hello.txt").text == "Hello there." and running() != ours
        except BaseException:  # noqa: BLE001 - told by the status
            fine = False
        os._exit(0 if fine else 1)
    _, status = os.waitpid(process_id, 0)
    assert status == 0
    assert running() == ours


def test_the_parser_process_ends_with_its_owner(text_file):
    program = (
        "from pathlib import Path\n"
        "from knowledge.ingest import parse\n"
        f"parse.parse_file(Path({str(text_file)!r}), 'hello.txt')\n"
        "print(parse._PARSERS.process_id, flush=True)\n"
        "input()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        parser = int(owner.stdout.readline())
        owner.kill()
    assert ends_within(parser, seconds=10)
