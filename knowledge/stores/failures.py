"""Turns what clients of stores raise into one error, without addresses, keys or tracebacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from core.errors import ProjectError
from knowledge.stores.contract import StoreFailed

_LONGEST_WORDS = 300


@contextmanager
def named_failures(name: str, *, secret: str = "") -> Iterator[None]:
    """Raise `StoreFailed` in place of whatever the client raises; errors of ours pass through.

    Clients raise dozens of classes, gRPC's and HTTP's among them, some of them only documented by
    their source: here all mean that the store could not do what was asked.
    """
    try:
        yield
    except StoreFailed:
        raise
    except ProjectError as refusal:  # an address that may not be called, for instance
        raise StoreFailed(
            _("The vector store “%(name)s” cannot be asked: %(reason)s")
            % {"name": name, "reason": refusal.message},
            retry=True,
        ) from refusal
    except Exception as error:  # noqa: BLE001  see above: clients raise anything
        raise StoreFailed(
            _("The vector store “%(name)s” does not answer as it should.") % {"name": name},
            retry=True,
            provider_message=_words(error, secret),
        ) from None  # the chain may hold headers with the key


def _words(error: Exception, secret: str) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if secret:
        text = text.replace(secret, "•••")
    return text[:_LONGEST_WORDS]
