"""The parser process: imports every parser once, then forks a child under limits per document.

Started by `helper_process.py` as `python -m knowledge.ingest.zygote FD IDLE_SECONDS`; closing the
other end of a request's line kills its child. The process has one thread and ends when its owner
does (the control socket closes) or when idle.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.isolation import (
    Limits,
    apply_limits,
    die_with_parent,
    drop_root,
    keep_descriptors,
    leave_network,
    open_descriptors,
)
from core.seccomp import prepare_filter
from knowledge.ingest.isolated import ReadOptions, parse_content, read_members, read_pictures
from knowledge.ingest.reencode import encode_pictures
from knowledge.ingest.render import render_page
from knowledge.ingest.warmup import await_single_thread, warm_parsers
from knowledge.ingest.wire import document_to_json, dump
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.registry import engines_by_type

_MAX_REQUEST_BYTES = 64_000
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_MOST_RESIDENT_BYTES = 800_000_000
"""The limit of the kernel counts address space, of which libraries reserve a gigabyte unused."""
_LOOK_SECONDS = 0.05
_OUT_OF_MEMORY = ParseRefused(
    "out_of_memory",
    "Reading this file takes more memory than one file may use. Split it into parts.",
)
_TOO_MUCH_TEXT = ParseRefused(
    "too_large",
    "The file holds more text than one document may have. Split it into parts.",
)


@dataclass
class Child:
    """A fork that reads one document."""

    process_id: int
    process_fd: int
    line: socket.socket
    deadline: float
    timed_out: bool = False
    out_of_memory: bool = False

    def resident_bytes(self) -> int:
        """Return what it holds in memory now."""
        try:
            fields = Path(f"/proc/{self.process_id}/statm").read_text(encoding="ascii").split()
        except OSError:
            return 0
        return int(fields[1]) * _PAGE_BYTES


@dataclass
class Zygote:
    """Takes requests, forks, watches over the children; one loop, no threads."""

    control: socket.socket
    network_left: bool
    idle_seconds: float
    library_descriptors: frozenset[int]
    """What document libraries opened for the whole process (an event loop's signal pipe, say):
    a child without them can start no event loop any more."""
    children: dict[int, Child] = field(default_factory=dict)
    selector: selectors.DefaultSelector = field(default_factory=selectors.DefaultSelector)

    def serve(self) -> None:
        """Work until the owner is gone or nothing came for `idle_seconds`."""
        self.selector.register(self.control, selectors.EVENT_READ, None)
        idle_since = time.monotonic()
        while self.children or time.monotonic() - idle_since < self.idle_seconds:
            for key, _ in self.selector.select(timeout=self._seconds_to_next_deadline()):
                if key.data is None:
                    if not self._take_request():
                        self._kill_all()
                        return
                elif key.fd == key.data.process_fd:
                    self._report_end(key.data)
                else:
                    # The owner lets go of the line (cancelled) or is gone.
                    self.selector.unregister(key.fileobj)
                    os.kill(key.data.process_id, signal.SIGKILL)
                idle_since = time.monotonic()
            self._kill_late()
            self._kill_large()

    def _seconds_to_next_deadline(self) -> float:
        if not self.children:
            return 1.0
        now = time.monotonic()
        deadlines = [child.deadline for child in self.children.values() if not child.timed_out]
        # Between two looks at its memory a child can take about a tenth of what it may have.
        return min(max(0.0, min(deadlines, default=now + 1.0) - now), _LOOK_SECONDS)

    def _take_request(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, _MAX_REQUEST_BYTES, 4)
        if not message:
            return False
        request = json.loads(message)
        content, result, errors, line = descriptors
        process_id = os.fork()
        if process_id == 0:
            _run_child(
                request,
                content,
                result,
                errors,
                network_left=self.network_left,
                library_descriptors=self.library_descriptors,
            )
        for descriptor in (content, result, errors):
            os.close(descriptor)
        child = Child(
            process_id=process_id,
            process_fd=os.pidfd_open(process_id),
            line=socket.socket(fileno=line),
            deadline=time.monotonic() + request["limits"]["wall_seconds"],
        )
        self.children[process_id] = child
        self.selector.register(child.process_fd, selectors.EVENT_READ, child)
        self.selector.register(child.line, selectors.EVENT_READ, child)
        return True

    def _report_end(self, child: Child) -> None:
        _, status, usage = os.wait4(child.process_id, 0)
        self.selector.unregister(child.process_fd)
        if child.line in self.selector.get_map():
            self.selector.unregister(child.line)
        os.close(child.process_fd)
        report = {
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
            "timed_out": child.timed_out,
            "out_of_memory": child.out_of_memory,
            "peak_bytes": usage.ru_maxrss * 1024,
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
        }
        # After a cancellation nobody waits for it any more.
        with contextlib.suppress(OSError):
            child.line.sendall(dump(report))
        child.line.close()
        del self.children[child.process_id]

    def _kill_late(self) -> None:
        now = time.monotonic()
        for child in self.children.values():
            if now >= child.deadline and not child.timed_out:
                child.timed_out = True
                os.kill(child.process_id, signal.SIGKILL)

    def _kill_large(self) -> None:
        for child in self.children.values():
            if not child.out_of_memory and child.resident_bytes() > _MOST_RESIDENT_BYTES:
                child.out_of_memory = True
                os.kill(child.process_id, signal.SIGKILL)

    def _kill_all(self) -> None:
        for child in self.children.values():
            os.kill(child.process_id, signal.SIGKILL)


def _run_child(
    request: dict[str, Any],
    content: int,
    result: int,
    errors: int,
    *,
    network_left: bool,
    library_descriptors: frozenset[int],
) -> None:
    """Do the work of one request in the forked child and never return."""
    code = 1
    try:
        zygote_id = os.getppid()
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        keep_descriptors(content, result, *library_descriptors)
        die_with_parent(zygote_id)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        # It lives for one document only, and its memory is limited.
        gc.disable()
        confinement = apply_limits(Limits(**request["limits"]), network_left=network_left)
        answer, payload = _answer(request, content)
        answer["confinement"] = [confinement.network, confinement.system_calls]
        _write_all(result, dump(answer) + b"\n")
        _write_all(result, payload)
        code = 0
    except MemoryError:
        _write_all(result, dump(_refusal(_OUT_OF_MEMORY)))
        code = 0
    except OSError as error:
        if error.errno == errno.EFBIG:
            os.ftruncate(result, 0)
            os.lseek(result, 0, os.SEEK_SET)
            _write_all(result, dump(_refusal(_TOO_MUCH_TEXT)))
            code = 0
        else:
            traceback.print_exc()
    except BaseException:  # noqa: BLE001 - a Rust panic is one, and the owner logs what we print
        traceback.print_exc()
    finally:
        os._exit(code)


def _answer(request: dict[str, Any], content: int) -> tuple[dict[str, Any], bytes]:
    """Do the work; return the answer and what goes behind it."""
    data = os.pread(content, os.fstat(content).st_size, 0)
    try:
        if request["work"] == "render":
            picture = render_page(data, request["page"], password=request.get("password", ""))
            return {"size": [picture.width, picture.height]}, picture.pixels
        if request["work"] == "engines":
            return {"engines": _engines()}, b""
        if request["work"] == "members":
            return _members(data, request)
        if request["work"] == "pictures":
            return _pictures(data, request)
        options = ReadOptions(**request.get("options", {}))
        document = parse_content(data, request["name"], options)
        return {"document": document_to_json(document)}, b""
    except ParseRefused as refusal:
        return _refusal(refusal), b""


def _engines() -> dict[str, list[list[Any]]]:
    return {
        file_type: [[engine.name, engine.label, engine.automatic] for engine in engines]
        for file_type, engines in engines_by_type().items()
    }


def _members(content: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    members = read_members(
        content,
        request["name"],
        password=request["password"],
        first=request["first"],
        most_bytes=request["most_bytes"],
    )
    return {"sizes": [len(member) for member in members]}, b"".join(members)


def _pictures(content: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    found = encode_pictures(
        read_pictures(
            content,
            request["name"],
            engine=request["engine"],
            password=request["password"],
            keys=frozenset(request["keys"]),
        ),
        most_bytes=request["most_bytes"],
        most_seconds=request["most_seconds"],
    )
    rows = [[each.key, each.width, each.height, len(each.content)] for each in found]
    return {"pictures": rows}, b"".join(each.content for each in found)


def _refusal(refusal: ParseRefused) -> dict[str, Any]:
    return {"refused": [refusal.code, refusal.reason]}


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def main() -> None:
    """Get ready while everything is still trusted, then lock the door and serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    network_left = leave_network()
    opened_before = open_descriptors()
    warm_parsers()
    await_single_thread()
    library_descriptors = open_descriptors() - opened_before
    drop_root()
    # Children share this memory as long as nobody writes to it.
    prepare_filter()
    gc.collect()
    gc.freeze()
    Zygote(
        control=control,
        network_left=network_left,
        idle_seconds=float(sys.argv[2]),
        library_descriptors=library_descriptors,
    ).serve()


if __name__ == "__main__":
    main()
