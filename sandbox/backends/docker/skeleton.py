"""An image of directories and links only, made in a moment and without a registry.

Its containers see the host's `/usr` read-only, so they have the same programs as with bubblewrap.
"""

from __future__ import annotations

import io
import tarfile

from sandbox.backends.bubblewrap.command import ETC_FILES
from sandbox.backends.docker.containers import USERLAND_LABEL
from sandbox.backends.docker.engine import client_of, named

_DIRECTORIES = {
    "usr": 0o755,
    "etc": 0o755,
    "proc": 0o755,
    "sys": 0o755,
    "dev": 0o755,
    "run": 0o755,
    "var": 0o755,
    "opt": 0o755,
    "skills": 0o755,
    "workspace": 0o1777,
    "root": 0o700,
    # The engine mounts its first process there: it must be no link.
    "sbin": 0o755,
    "tmp": 0o1777,
}
_LINKS = ("bin", "lib", "lib64")


def make_skeleton(url: str, image: str) -> None:
    """Make or replace the image.

    Raises:
        SandboxFailed: the engine cannot be reached or refuses.
    """
    repository, _colon, tag = image.partition(":")
    with named():
        client_of(url).api.import_image_from_data(
            skeleton(),
            repository=repository,
            tag=tag or "latest",
            changes=['CMD ["sleep","infinity"]', f"LABEL {USERLAND_LABEL}=host"],
        )


def skeleton() -> bytes:
    """Return the root file system as an archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, mode in _DIRECTORIES.items():
            member = tarfile.TarInfo(name)
            member.type, member.mode = tarfile.DIRTYPE, mode
            archive.addfile(member)
        for name in _LINKS:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, f"usr/{name}"
            archive.addfile(member)
        for path, data in ETC_FILES.items():
            member = tarfile.TarInfo(path.lstrip("/"))
            member.size, member.mode = len(data), 0o644
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
