"""Compiles a filter of a search to a condition on documents.

It fails closed: what a filter names and we do not know, what does not fit its field, and a group
without conditions are errors, never "no limit". Access is not its business: `scope.resolve` lays it
over what the actor may see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import CharField, F, Func, JSONField, Q, TextField, Value
from django.db.models.functions import Left
from django.db.models.lookups import (
    Exact,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
    Lookup,
    Regex,
)
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import Invalid
from knowledge.models import DocumentTag
from knowledge.organising.paths import clean_folder_path, within
from knowledge.retrieval.filter_values import OWN_FIELD, Condition, Filter

MOST_VALUES = 100
_COMPARISONS: Mapping[str, tuple[type[Lookup[Any]], str]] = {
    "greater": (GreaterThan, "gt"),
    "at_least": (GreaterThanOrEqual, "gte"),
    "less": (LessThan, "lt"),
    "at_most": (LessThanOrEqual, "lte"),
}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def document_condition(wanted: Filter) -> Q:
    """Return the filter as a condition on rows of `Document`. Needs an open scope.

    Raises:
        Invalid: a field is unknown, a value does not fit it, or a group has no condition.
    """
    if not wanted.all_of and not wanted.any_of:
        raise Invalid(_("A filter without conditions selects nothing; leave it out or name some."))
    where = Q()
    for part in wanted.all_of:
        where &= _part(part)
    if wanted.any_of is None:
        return where
    if not wanted.any_of:
        raise Invalid(_("An empty list of alternatives selects nothing."))
    alternatives = Q()
    for part in wanted.any_of:
        alternatives |= _part(part)
    return where & alternatives


def _part(part: Condition | Filter) -> Q:
    if isinstance(part, Filter):
        return document_condition(part)
    values = part.value if isinstance(part.value, tuple) else (part.value,)
    if not all(_can_be_kept(value) for value in values):
        raise _misfit(part)
    if part.field.startswith(OWN_FIELD):
        return _own_field(part, part.field.removeprefix(OWN_FIELD))
    compiled = _FIELDS.get(part.field)
    if compiled is None:
        raise Invalid(
            _("There is no field “%(name)s”; the fields are %(names)s and own.NAME.")
            % {"name": part.field, "names": ", ".join(_FIELDS)}
        )
    return compiled(part)


def _folder(part: Condition) -> Q:
    if part.operator == "exists":
        return _either(part, Q(folder_path__gt=""))
    where = Q()
    for text in _texts(part):
        path = clean_folder_path(text)
        # The root's own documents: with those below, it would be no limit.
        where |= within("folder_path", path) if path else Q(folder_path="")
    return where


def _tag(part: Condition) -> Q:
    rows = DocumentTag.objects.order_by()
    if part.operator == "exists":
        return _either(part, Q(pk__in=rows.values("document_id")))
    where = Q()
    for value in _values(part):
        if isinstance(value, bool | float):
            raise _misfit(part)
        where |= Q(tag_id=value) if isinstance(value, int) else Q(tag__name__iexact=value)
    return Q(pk__in=rows.filter(where).values("document_id"))


def _document(part: Condition) -> Q:
    try:
        return Q(pk__in=[UUID(text) for text in _texts(part)])
    except ValueError as error:
        raise _misfit(part) from error


def _file_type(part: Condition) -> Q:
    if part.operator == "exists":
        return _either(part, Q(file_type__gt=""))
    return Q(file_type__in=[text.strip(". ").casefold() for text in _texts(part)])


def _moment(column: str) -> Callable[[Condition], Q]:
    def compiled(part: Condition) -> Q:
        day, moment = _time(part)
        if moment is None:
            return _compared(part, f"{column}__date", day)
        return _compared(part, column, moment)

    return compiled


def _review(part: Condition) -> Q:
    if part.operator == "exists":
        return _either(part, Q(review_by__isnull=False))
    day, moment = _time(part)
    if moment is not None:
        raise _misfit(part)
    return _compared(part, "review_by", day)


_FIELDS: Mapping[str, Callable[[Condition], Q]] = {
    "folder": _folder,
    "tag": _tag,
    "document": _document,
    "file_type": _file_type,
    "created": _moment("created_at"),
    "updated": _moment("updated_at"),
    "review": _review,
}


def _own_field(part: Condition, name: str) -> Q:
    if not name or not _can_be_kept(name):
        raise _misfit(part)
    if part.operator == "exists":
        return _either(part, Q(metadata__has_key=name))
    if part.operator in ("equals", "in"):
        where = Q()
        for value in _values(part):
            where |= Q(metadata__contains={name: value})
        return where
    lookup = _COMPARISONS[part.operator][0]
    value = _one(part)
    kind = Func(_own(name), function="jsonb_typeof", output_field=TextField())
    if isinstance(value, int | float) and not isinstance(value, bool):
        # In the order of jsonb a yes is above every number: the kind has to be asked.
        same_kind = Exact(kind, Value("number", TextField()))
        return Q(same_kind) & Q(lookup(_own(name), Value(value, JSONField())))
    if isinstance(value, str) and _DAY.match(value) and _is_day(value):
        text: Func = Func(
            F("metadata"), Value(name), function="jsonb_extract_path_text", output_field=TextField()
        )
        is_day = Regex(text, Value(r"^\d{4}-\d{2}-\d{2}(?!\d)", CharField()))
        same_kind = Exact(kind, Value("string", TextField()))
        return Q(same_kind) & Q(is_day) & Q(lookup(Left(text, 10), Value(value, CharField())))
    raise _misfit(part)


def _own(name: str) -> Func:
    """Return the value as jsonb. Django's own lookup would read the name `2024` as an index."""
    return Func(F("metadata"), Value(name), function="jsonb_extract_path", output_field=JSONField())


def _either(part: Condition, has: Q) -> Q:
    if not isinstance(part.value, bool):
        raise _misfit(part)
    return has if part.value else ~has


def _compared(part: Condition, column: str, value: date | datetime) -> Q:
    if part.operator == "equals":
        return Q(**{column: value})
    return Q(**{f"{column}__{_COMPARISONS[part.operator][1]}": value})


def _time(part: Condition) -> tuple[date, datetime | None]:
    """Return the day, and the moment where one is named; without a zone it is the installation's."""
    value = _one(part)
    if not isinstance(value, str) or part.operator in ("in", "exists"):
        raise _misfit(part)
    try:
        if _DAY.match(value):
            return date.fromisoformat(value), None
        moment = datetime.fromisoformat(value)
        if timezone.is_naive(moment):
            moment = timezone.make_aware(moment)
        # PostgreSQL has to be able to shift it to its own zone.
        moment - timedelta(days=2), moment + timedelta(days=2)
    except (ValueError, OverflowError) as error:
        raise _misfit(part) from error
    return moment.date(), moment


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _texts(part: Condition) -> list[str]:
    values = _values(part)
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        raise _misfit(part)
    return texts


def _values(part: Condition) -> tuple[bool | int | float | str, ...]:
    """Return what the field may be: one value, or with `in` one to `MOST_VALUES`."""
    if part.operator == "equals" and not isinstance(part.value, tuple):
        return (part.value,)
    listed = part.value if isinstance(part.value, tuple) else ()
    if part.operator == "in" and 1 <= len(listed) <= MOST_VALUES:
        return listed
    raise _misfit(part)


def _one(part: Condition) -> bool | int | float | str:
    if isinstance(part.value, tuple):
        raise _misfit(part)
    return part.value


def _can_be_kept(value: object) -> bool:
    """Say whether the database can hold it; halves of characters are no text for pydantic."""
    return not isinstance(value, str) or "\x00" not in value


def _misfit(part: Condition) -> Invalid:
    value = part.value if isinstance(part.value, tuple) else (part.value,)
    return Invalid(
        _("The filter's field “%(name)s” does not take “%(operator)s” with %(value)s.")
        % {
            "name": part.field,
            "operator": part.operator,
            "value": ", ".join(repr(each)[:80] for each in value[:5]) or _("nothing"),
        }
    )
