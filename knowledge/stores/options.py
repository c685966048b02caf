"""What can be set of a store beside its address and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import Invalid


class StoreOptions(BaseModel):
    """Options of a store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    search_seconds: float = Field(default=3.0, ge=0.2, le=30.0)
    """How long a question waits for the store; then PostgreSQL is searched."""
    write_seconds: float = Field(default=60.0, ge=1.0, le=600.0)
    """How long a batch that is written may take."""
    database: str = Field(default="", max_length=100, pattern=r"^[A-Za-z0-9_]*$")
    """Milvus only: the database; blank: the server's default."""


def read_options(values: Mapping[str, Any]) -> StoreOptions:
    """Return options from a dump.

    Raises:
        Invalid: a value can't be used.
    """
    try:
        return StoreOptions.model_validate(dict(values))
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        raise Invalid(
            _("The option “%(name)s” cannot be used: %(reason)s")
            % {"name": ".".join(map(str, problem["loc"])), "reason": problem["msg"]}
        ) from error
