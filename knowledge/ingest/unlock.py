"""Opens files with a password: what comes out is the same file without one. Runs isolated."""

from __future__ import annotations

import ctypes
import io
import zipfile

import msoffcrypto  # type: ignore[import-untyped]  # ships no types
import pypdfium2  # type: ignore[import-untyped]  # ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # ships no types
from msoffcrypto import exceptions

from knowledge.parsers.containers import OLE_MAGIC
from knowledge.parsers.contract import ParseRefused

_WRONG = "The password does not open the file. Enter it again, or upload a copy without one."
_MAX_BYTES = 500_000_000
_BROKEN = (OSError, ValueError, IndexError, TypeError, KeyError, AttributeError)


def unlock(content: bytes, password: str) -> bytes:
    """Return `content` readable without its password; as it is when it has none.

    Raises:
        ParseRefused: encrypted, when the password is wrong.
    """
    if content.startswith(OLE_MAGIC):
        return _office(content, password)
    if b"%PDF-" in content[:1024]:
        return _pdf(content, password)
    if content.startswith(b"PK\x03\x04"):
        return _archive(content, password)
    return content


def _office(content: bytes, password: str) -> bytes:
    try:
        file = msoffcrypto.OfficeFile(io.BytesIO(content))
        if not file.is_encrypted():
            return content
    except (exceptions.FileFormatError, *_BROKEN):
        return content  # no Office file: detection says what it is
    opened = io.BytesIO()
    try:
        file.load_key(password=password)
        file.decrypt(opened)
    except (exceptions.InvalidKeyError, exceptions.DecryptionError, *_BROKEN) as error:
        raise ParseRefused("encrypted", _WRONG) from error
    return opened.getvalue()


def _pdf(content: bytes, password: str) -> bytes:
    try:
        with pypdfium2.PdfDocument(content) as document:
            locked = pdfium.FPDF_GetSecurityHandlerRevision(document.raw) != -1
        if not locked:
            return content
    except pypdfium2.PdfiumError:
        pass
    try:
        with pypdfium2.PdfDocument(content, password=password) as document:
            opened = io.BytesIO()
            document.save(opened, flags=pdfium.FPDF_REMOVE_SECURITY)
            return opened.getvalue()
    except (pypdfium2.PdfiumError, ctypes.ArgumentError) as error:
        raise ParseRefused("encrypted", _WRONG) from error


def _archive(content: bytes, password: str) -> bytes:
    """Pack the members anew without a password."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if not any(member.flag_bits & 1 for member in members):
                return content
            if sum(member.file_size for member in members) > _MAX_BYTES:
                raise ParseRefused("too_large", "The archive unpacks to too much data. Split it.")
            archive.setpassword(password.encode())
            opened = io.BytesIO()
            with zipfile.ZipFile(opened, "w") as plain:
                for member in members:
                    plain.writestr(member.filename, archive.read(member))
            return opened.getvalue()
    except NotImplementedError as error:
        raise ParseRefused(
            "encrypted",
            "The archive is encrypted in a way that is not read (AES). Unpack it and upload the "
            "files.",
        ) from error
    except RuntimeError as error:
        raise ParseRefused("encrypted", _WRONG) from error
    except (zipfile.BadZipFile, EOFError, *_BROKEN):
        return content
