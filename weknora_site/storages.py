"""Django's settings of where files are kept: a folder, or a bucket of an S3-compatible store."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

_LOCAL = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
_STATIC = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
_IN_MEMORY_BYTES = 8_000_000


def file_storages(
    *,
    kind: str,
    bucket: str,
    endpoint_url: str,
    region: str,
    access_key: str,
    secret_key: str,
    folder: str,
    addressing: str,
) -> dict[str, Any]:
    """Return `STORAGES`: the one in use as "default", and each that is configured by its own name.

    Raises:
        ImproperlyConfigured: the bucket is to be used and has no name, or only half a key is given.
    """
    if kind == "s3" and not bucket:
        raise ImproperlyConfigured("WEKNORA_STORAGE is s3: name the bucket in WEKNORA_S3_BUCKET.")
    if bool(access_key) != bool(secret_key):
        raise ImproperlyConfigured(
            "Set both WEKNORA_S3_ACCESS_KEY and WEKNORA_S3_SECRET_KEY, or none of them."
        )
    found: dict[str, Any] = {"local": _LOCAL, "staticfiles": _STATIC}
    if bucket:
        options = {
            "bucket_name": bucket,
            "endpoint_url": endpoint_url or None,
            "region_name": region or None,
            "access_key": access_key or None,
            "secret_key": secret_key or None,
            "location": folder.strip("/"),
            "addressing_style": addressing,
            # Links of the older signature need no region and are refused by most stores.
            "signature_version": "s3v4",
            # Names are hashes of contents: the same name is the same file.
            "file_overwrite": True,
            "default_acl": None,
            "max_memory_size": _IN_MEMORY_BYTES,
        }
        found["s3"] = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    found["default"] = found[kind]
    return found
