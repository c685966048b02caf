"""Reads zips of strangers within limits that hold before anything large is in memory."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO, Final

from django.utils.translation import gettext as _

from core.errors import Invalid, TooLarge

KIB, MIB = 1024, 1024 * 1024
_END, _ZIP64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
_END_BYTES, _LONGEST_COMMENT, _LOCATOR_BYTES = 22, 65_535, 20
_DIRECTORY_BYTES_PER_FILE: Final = 700
"""A long name, a comment and extra fields of common programs."""
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED: Final = 0x1
_RATIO, _RATIO_FROM = 200, MIB
"""So many times its packed size, from so many bytes on, is a bomb and no text."""


def check_directory_of_zip(source: BinaryIO, *, most_bytes: int, most_files: int) -> None:
    """Return when the archive's own table of contents is small enough to be read.

    Raises:
        Invalid: it is no zip.
        TooLarge: the archive or its table is beyond the limits.
    """
    size = source.seek(0, io.SEEK_END)
    if size > most_bytes:
        raise TooLarge(_("The file is larger than %(most)d MiB.") % {"most": most_bytes // MIB})
    source.seek(max(0, size - _END_BYTES - _LONGEST_COMMENT - _LOCATOR_BYTES))
    tail = source.read()
    source.seek(0)
    position = tail.rfind(_END)
    if position < 0 or len(tail) - position < _END_BYTES:
        raise Invalid(_("The file is no zip that can be read, or it is damaged."))
    entries, table_bytes = struct.unpack_from("<HI", tail, position + 10)
    if _ZIP64_LOCATOR in tail[max(0, position - _LOCATOR_BYTES) : position]:
        raise Invalid(_("The zip is of the kind for very large files; pack it anew without zip64."))
    # Directories are entries, too.
    if entries > 4 * most_files or table_bytes > 4 * most_files * _DIRECTORY_BYTES_PER_FILE:
        raise TooLarge(_("The skill has more than %(most)d files.") % {"most": most_files})


def read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, most_bytes: int) -> bytes:
    """Return a file of an archive, whatever size it claims to have.

    Raises:
        Invalid: it is encrypted, damaged or packed in an unknown way.
        TooLarge: it is larger than the limit, or unpacks to far more than it is.
    """
    name = info.orig_filename[:120]
    if info.flag_bits & _ENCRYPTED:
        raise Invalid(_("The zip is protected by a password; pack it without one."))
    if info.compress_type not in _METHODS:
        raise Invalid(_("The zip is packed in an unusual way; use the ordinary one (deflate)."))
    try:
        with archive.open(info) as packed:
            data = packed.read(most_bytes + 1)
    except (zlib.error, RuntimeError) as error:
        raise Invalid(_("The file is no zip that can be read, or it is damaged.")) from error
    if len(data) > most_bytes:
        raise TooLarge(
            _("%(name)r is larger than %(most)d KiB, the most for one file.")
            % {"name": name, "most": most_bytes // KIB}
        )
    if len(data) > _RATIO_FROM and len(data) > _RATIO * max(1, info.compress_size):
        raise TooLarge(
            _("%(name)r unpacks to far more than it is; it is refused.") % {"name": name}
        )
    return data
