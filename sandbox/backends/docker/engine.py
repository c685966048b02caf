"""The connection to the engine, and its errors as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import docker
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from sandbox.errors import SandboxFailed, SandboxGone

_TIMEOUT_SECONDS = 60
_CONNECTIONS = 64
_CONFLICT = 409

Client = Any
Container = Any
"""Values of the library, which has no types."""


@lru_cache(maxsize=8)
def client_of(url: str) -> Client:
    """Return the client of an engine; its connections are shared by the threads of this process.

    Raises:
        SandboxFailed: the address cannot be used.
    """
    with named():
        return docker.DockerClient(
            base_url=url, version="auto", timeout=_TIMEOUT_SECONDS, max_pool_size=_CONNECTIONS
        )


def deployment_id() -> str:
    """Return what tells the containers of this installation from those of another on one engine."""
    return salted_hmac("sandbox.docker", "deployment", algorithm="sha256").hexdigest()[:12]


@contextmanager
def named() -> Iterator[None]:
    """Turn the engine's errors into ours.

    Raises:
        SandboxGone: there is no such container, or it does not run.
        SandboxFailed: everything else.
    """
    try:
        yield
    except ImageNotFound as error:
        message = "The image of the sandbox is missing: run manage.py sandbox_image."
        raise SandboxFailed(message, retry=False) from error
    except NotFound as error:
        raise SandboxGone(_("The sandbox is not there any more.")) from error
    except APIError as error:
        if error.status_code == _CONFLICT:
            raise SandboxGone(_("The sandbox is not there any more.")) from error
        raise SandboxFailed(f"Docker refuses: {error.explanation or error}") from error
    except (DockerException, OSError) as error:
        raise SandboxFailed(f"Docker cannot be reached: {error}") from error
