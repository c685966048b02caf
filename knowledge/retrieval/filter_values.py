"""Which documents a search may use, by what stands about them: the filter as a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from core.errors import Invalid

MOST_CONDITIONS = 50
DEEPEST = 3
OWN_FIELD = "own."
"""Before the name of a field that people made up: `own.customer`."""

Operator = Literal["equals", "in", "exists", "greater", "at_least", "less", "at_most"]
Scalar = (
    Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True, ge=-(10**18), le=10**18)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
    | Annotated[str, Field(strict=True, max_length=1000)]
)


class Condition(BaseModel):
    """One thing that has to be true of a document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str = Field(min_length=1, max_length=80)
    """folder (with those below it), tag (number or name), document (id), file_type, created,
    updated, review (days or moments in ISO 8601), or `own.NAME`."""
    operator: Operator = "equals"
    value: Scalar | tuple[Scalar, ...]
    """For `in` a list, for `exists` true or false."""


def _kind(value: Any) -> str:
    if isinstance(value, Filter):
        return "filter"
    is_group = isinstance(value, Mapping) and ("all_of" in value or "any_of" in value)
    return "filter" if is_group else "condition"


class Filter(BaseModel):
    """Conditions that all hold, of which one holds, or both; groups nest at most `DEEPEST` deep."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    all_of: tuple[Part, ...] = Field(default=(), max_length=MOST_CONDITIONS)
    any_of: tuple[Part, ...] | None = Field(default=None, max_length=MOST_CONDITIONS)
    """None: not asked for. An empty one can hold for nothing."""

    @model_validator(mode="after")
    def _is_small(self) -> Self:
        if _depth(self) > DEEPEST:
            raise ValueError(f"groups may stand in each other {DEEPEST} deep at most")
        if sum(1 for _each in _conditions(self)) > MOST_CONDITIONS:
            raise ValueError(f"a filter has {MOST_CONDITIONS} conditions at most")
        return self


Part = Annotated[
    Annotated[Condition, Tag("condition")] | Annotated[Filter, Tag("filter")],
    Discriminator(_kind),
]
Filter.model_rebuild()
_READER: TypeAdapter[Filter] = TypeAdapter(Filter)


def read_filter(value: object) -> Filter:
    """Return what a door was given as JSON.

    Raises:
        Invalid: it is no filter; says where.
    """
    try:
        return _READER.validate_python(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"]) or "filter"
        raise Invalid(
            _("The filter cannot be used: %(place)s: %(detail)s.")
            % {"place": place, "detail": problem["msg"]}
        ) from error


def narrowed(wanted: Filter | None, *conditions: Condition) -> Filter | None:
    """Return the filter with more conditions that all have to hold; None is no limit.

    Raises:
        Invalid: they are too many.
    """
    if not conditions:
        return wanted
    if wanted is None:
        return read_filter({"all_of": conditions})
    return read_filter({"all_of": (*wanted.all_of, *conditions), "any_of": wanted.any_of})


def _conditions(wanted: Filter) -> Iterator[Condition]:
    for part in (*wanted.all_of, *(wanted.any_of or ())):
        if isinstance(part, Filter):
            yield from _conditions(part)
        else:
            yield part


def _depth(wanted: Filter) -> int:
    inner = (*wanted.all_of, *(wanted.any_of or ()))
    return 1 + max((_depth(part) for part in inner if isinstance(part, Filter)), default=0)
