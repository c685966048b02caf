"""The whole product in a folder of its own, for tests that use it as people do."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import psutil
import psycopg
import redis

from core.embedded.layout import REPOSITORY_DIR, Layout
from core.embedded.ports import free_port
from core.embedded.services import Addresses, embedded_addresses

START_SECONDS = 300.0
EMAIL = "admin@example.com"


class Product:
    """`manage.py start`, its administrator, and commands against it."""

    _converted: ClassVar[Path | None] = None
    """The built-in models of the first product of this run: converting them takes half of a start."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        outside = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in outside},
            "WEKNORA_DATA_DIR": str(data_dir),
            "WEKNORA_PORT": str(self.port),
            "WEKNORA_SSRF_ALLOW": "127.0.0.1",  # models of tests stand on this machine
            **environment,
        }
        self.lines: list[str] = []
        self.password = ""
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The address of its pages, without a slash at the end."""
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Start it and return when it says that it is ready."""
        self._take_converted_models()
        process = self._process = subprocess.Popen(
            [sys.executable, "manage.py", "start"],
            cwd=REPOSITORY_DIR,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        wait_for(
            lambda: self.said("ready after") or process.poll() is not None,
            seconds=START_SECONDS,
            what="the product is ready",
        )
        assert process.poll() is None, "it ended before it was ready:\n" + "".join(self.lines)
        Product._converted = Product._converted or self.data_dir / "models"
        found = re.search(r"Password   (\S+)", "".join(self.lines))
        self.password = found[1] if found else self.password

    def _take_converted_models(self) -> None:
        models = self.data_dir / "models"
        for folder in Product._converted.glob("e5-*/") if Product._converted else ():
            if folder.is_dir() and not (models / folder.name).exists():
                shutil.copytree(folder, models / folder.name, copy_function=os.link)

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=60)
            if self._process.stdout is not None:
                self._process.stdout.close()

    def said(self, text: str) -> bool:
        """Say whether a line of its log holds the text."""
        return any(text in line for line in self.lines)

    def command(self, *arguments: str) -> Any:
        """Run `manage.py …` with `--json` and return what it prints, whatever its exit code."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments, "--json"],
            cwd=REPOSITORY_DIR,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def kill_worker(self, queue: str) -> int:
        """SIGKILL the worker that serves a queue; the supervisor starts another. Returns its pid."""
        beats = wait_for(lambda: self._beats(queue), seconds=30, what=f"a worker serves {queue}")
        os.kill(beats[-1], signal.SIGKILL)
        return int(beats[-1])

    @property
    def database_url(self) -> str:
        """The address of its database, password included."""
        return self._addresses().database_url

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the product's database."""
        with psycopg.connect(self.database_url) as connection:
            return connection.execute(statement.encode()).fetchall()

    def processes(self) -> dict[str, psutil.Process]:
        """Return what runs now: `web`, each worker by its name, `database`, `broker`."""
        addresses = self._addresses()
        ports: dict[str, int | None] = {
            "web": self.port,
            "database": urlsplit(addresses.database_url).port,
            "broker": urlsplit(addresses.redis_url).port,
        }
        listening: dict[int | None, int | None] = {
            each.laddr.port: each.pid
            for each in psutil.net_connections("tcp")
            if each.status == psutil.CONN_LISTEN and each.laddr
        }
        found = {name: listening[port] for name, port in ports.items()}
        found |= {beat["name"]: beat["pid"] for beat in self._all_beats()}
        return {name: psutil.Process(pid) for name, pid in found.items()}

    def _addresses(self) -> Addresses:
        addresses = embedded_addresses(Layout(self.data_dir), required=True)
        assert addresses is not None
        return addresses

    def _beats(self, queue: str) -> list[int]:
        """Return the pids of living workers of a queue, as they say themselves."""
        return [beat["pid"] for beat in self._all_beats() if queue in beat["queues"]]

    def _all_beats(self) -> list[dict[str, Any]]:
        with redis.Redis.from_url(self._addresses().redis_url) as client:
            values = [client.get(key) for key in client.scan_iter("weknora:worker:*")]
        beats: list[dict[str, Any]] = [json.loads(value) for value in values if value]
        return [beat for beat in beats if psutil.pid_exists(beat["pid"])]

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                self.lines.append(line)
        except ValueError:
            return  # closed by `stop`


def wait_for(condition: Callable[[], Any], *, seconds: float, what: str) -> Any:
    """Return the condition's value as soon as it is true.

    Raises:
        AssertionError: it was not within the time.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")
