"""What `manage.py start` can be told, from its arguments and the environment."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

from core.embedded.layout import Layout, default_data_dir

ALL_PARTS = ("models", "web", "runs", "ingest")


class UsageError(Exception):
    """An argument or a variable cannot be used; says which and what would work."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to start."""

    layout: Layout
    host: str
    port: int
    parts: tuple[str, ...]
    prepares: bool
    """False when the one who starts us prepares the database itself."""
    ready_descriptor: int | None
    """Gets one byte when all parts are ready: for commands that start parts for themselves."""

    @property
    def embedded_needed(self) -> bool:
        """Whether one of the services is not the owner's own."""
        return not (_is_set("DATABASE_URL") and _is_set("REDIS_URL"))

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        everywhere = self.host in ("0.0.0.0", "::", "127.0.0.1", "::1")  # noqa: S104  compared only
        host = "localhost" if everywhere else self.host
        path = os.environ.get("WEKNORA_ROOT_PATH", "").strip().rstrip("/")
        return f"http://{host}:{self.port}{path}/"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; Django's help and the supervisor share them."""
    parser.add_argument("--host", help="address to listen on (WEKNORA_HOST, 127.0.0.1)")
    parser.add_argument("--port", help="port to listen on (WEKNORA_PORT, 8000)")
    parser.add_argument(
        "--parts",
        default=",".join(ALL_PARTS),
        help="what to start, of %(default)s: several machines can share the work",
    )
    parser.add_argument("--no-prepare", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)


def parse(arguments: list[str]) -> Options:
    """Return the options.

    Raises:
        UsageError: a value cannot be used.
    """
    parser = argparse.ArgumentParser(prog="manage.py start")
    add_arguments(parser)
    given = parser.parse_args(arguments)
    parts = tuple(part.strip() for part in given.parts.split(",") if part.strip())
    unknown = [part for part in parts if part not in ALL_PARTS]
    if unknown or not parts:
        raise UsageError(f"--parts {given.parts!r}: choose from {', '.join(ALL_PARTS)}")
    if os.environ.get("WEKNORA_LOCAL_MODELS", "").strip().lower() in ("0", "false", "no", "off"):
        parts = tuple(part for part in parts if part != "models")
    return Options(
        layout=Layout(default_data_dir(os.environ.get("WEKNORA_DATA_DIR"))),
        host=given.host or os.environ.get("WEKNORA_HOST", "").strip() or "127.0.0.1",
        port=_port(given.port or os.environ.get("WEKNORA_PORT", "").strip() or "8000"),
        parts=tuple(part for part in ALL_PARTS if part in parts),
        prepares=not given.no_prepare,
        ready_descriptor=given.ready_fd,
    )


def environment(options: Options) -> dict[str, str]:
    """Return the variables that the parts run with."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "weknora_site.settings"),
        "WEKNORA_DATA_DIR": str(options.layout.data_dir),
        "WEKNORA_HOST": options.host,
        "WEKNORA_PORT": str(options.port),
        "PYTHONUNBUFFERED": "1",
        # glibc gives each of many threads an arena of its own; two are enough and much smaller.
        "MALLOC_ARENA_MAX": os.environ.get("MALLOC_ARENA_MAX", "2"),
    }


def _port(text: str) -> int:
    if text.isdigit() and 0 < int(text) < 65_536:
        return int(text)
    raise UsageError(f"the port {text!r} cannot be used: give a number from 1 to 65535")


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name, "").strip() or os.environ.get(f"{name}_FILE", "").strip())
