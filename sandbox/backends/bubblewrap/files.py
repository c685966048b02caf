"""Files of a workspace, read and written from the host without ever following a link.

Every component of a path is opened relative to the directory above it with O_NOFOLLOW: what user
code swaps meanwhile makes an error, never another file.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext as _

from core.errors import Invalid, NotFound, TooLarge
from sandbox.backends.bubblewrap.places import Session
from sandbox.backends.paths import InnerPath
from sandbox.errors import SandboxGone

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that was planted must not hold us up.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Who owns what the platform writes."""

    user_id: int | None
    """None to stay who we are."""


@contextmanager
def opened_directory(session: Session, path: InnerPath) -> Iterator[int]:
    """Open a directory.

    Raises:
        NotFound: it is not there.
        Invalid: something on the way is a link or no directory.
        SandboxGone: there is no workspace any more.
    """
    descriptor = _open_root(session, path)
    try:
        for name in _below_root(path):
            descriptor = _step_down(descriptor, name, path)
        yield descriptor
    finally:
        os.close(descriptor)


def read_file(session: Session, path: InnerPath, *, max_bytes: int) -> bytes:
    """Return a regular file; see `sandbox.contract.Workspace.get`."""
    if not _below_root(path):
        raise _not_a_file(path)
    with opened_directory(session, _parent(path)) as directory:
        try:
            descriptor = os.open(path.parts[-1], _FILE, dir_fd=directory)
        except OSError as error:
            raise _named(error, path) from error
    try:
        return read_open(descriptor, max_bytes=max_bytes)
    except IsADirectoryError as error:
        raise _not_a_file(path) from error
    except TooLarge as error:
        raise Invalid(
            _("%(path)s is larger than %(size)d bytes.") % {"path": path, "size": max_bytes}
        ) from error
    finally:
        os.close(descriptor)


def read_open(descriptor: int, *, max_bytes: int) -> bytes:
    """Return the content of an open regular file.

    Raises:
        IsADirectoryError: it is no regular file.
        TooLarge: it has, or grows while it is read to, more bytes.
    """
    information = os.fstat(descriptor)
    if not stat.S_ISREG(information.st_mode):
        raise IsADirectoryError(errno.EISDIR, "not a regular file")
    if information.st_size > max_bytes:
        raise TooLarge("")
    content = bytearray()
    while data := os.read(descriptor, min(_READ_BYTES, max_bytes + 1 - len(content))):
        content += data
        if len(content) > max_bytes:
            raise TooLarge("")
    return bytes(content)


def write_file(session: Session, path: InnerPath, data: bytes, owner: Owner) -> None:
    """Write a file in one step, with the directories above it.

    Raises:
        Invalid: something on the way is a link, or the place is a directory.
        TooLarge: the workspace is full.
    """
    if not _below_root(path):
        raise _not_a_file(path)
    try:
        _make_parents(session, path, owner)
        with opened_directory(session, _parent(path)) as directory:
            _replace(directory, path.parts[-1], data, owner)
    except OSError as error:
        raise _named(error, path) from error


def _replace(directory: int, name: str, data: bytes, owner: Owner) -> None:
    new = f".new-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(new, flags, 0o644, dir_fd=directory)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fchmod(descriptor, 0o644)
            if owner.user_id is not None:
                os.fchown(descriptor, owner.user_id, owner.user_id)
        finally:
            os.close(descriptor)
        os.rename(new, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        os.unlink(new, dir_fd=directory)
        raise


def _make_parents(session: Session, path: InnerPath, owner: Owner) -> None:
    descriptor = _open_root(session, path)
    try:
        for name in _below_root(path)[:-1]:
            try:
                os.mkdir(name, 0o755, dir_fd=descriptor)
                made = True
            except FileExistsError:
                made = False
            descriptor = _step_down(descriptor, name, path)
            if made and owner.user_id is not None:
                os.fchown(descriptor, owner.user_id, owner.user_id)
    finally:
        os.close(descriptor)


def _open_root(session: Session, path: InnerPath) -> int:
    try:
        return os.open(session.input if path.is_input else session.files, _DIRECTORY)
    except OSError as error:
        raise SandboxGone(_("The sandbox is not there any more.")) from error


def _below_root(path: InnerPath) -> tuple[str, ...]:
    return path.parts[1:] if path.is_input else path.parts


def _parent(path: InnerPath) -> InnerPath:
    return InnerPath(parts=path.parts[:-1])


def _step_down(descriptor: int, name: str, path: InnerPath) -> int:
    """Open a directory in `descriptor`, which is closed then; also when it fails, it stays open."""
    try:
        below = os.open(name, _DIRECTORY, dir_fd=descriptor)
    except OSError as error:
        raise _named(error, path) from error
    os.close(descriptor)
    return below


def _not_a_file(path: InnerPath) -> Invalid:
    return Invalid(_("%(path)s is not a regular file.") % {"path": path})


def _named(error: OSError, path: InnerPath) -> Exception:
    match error.errno:
        case errno.ENOENT:
            return NotFound(_("There is no %(path)s.") % {"path": path})
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return TooLarge(_("The sandbox has no room for %(path)s.") % {"path": path})
        case errno.ELOOP | errno.ENOTDIR | errno.EISDIR | errno.ENXIO | errno.ENODEV:
            return Invalid(
                _("%(path)s is a link, a device or a directory, or lies behind one.")
                % {"path": path}
            )
        case errno.ENAMETOOLONG | errno.EINVAL:
            return Invalid(_("%(path)s is too long.") % {"path": path})
        case errno.EACCES | errno.EPERM:
            return Invalid(_("%(path)s cannot be read or written.") % {"path": path})
        case _:
            return error
