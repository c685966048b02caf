"""Template tags of the design system: icons, form controls, Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django import template
from django.forms import BoundField
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.markdown import render_markdown
from core.textdiff import InlineRow, Line, Row, Side, marked as mark_line
from core.textdiff_rows import single_rows, split_rows
from core.wording import listed as list_words, weekday_and_time

register = template.Library()

ICON_SPRITE = "vendor/lucide-1.62.0.svg"

_CONTROL_CLASSES = {
    "textarea": "textarea",
    "select": "select",
    "selectmultiple": "select",
    "checkbox": "",
    "radioselect": "",
    "checkboxselectmultiple": "",
    "range": "range",
}
"""CSS class by `BoundField.widget_type`; every other control is an `.input`."""


@register.simple_tag
def icon(name: str, css_class: str = "") -> SafeString:
    """Return the icon `name` of the sprite, hidden from screen readers.

    Sizes are classes: `i-xs` 13 px, `i-sm` 15 px, none 18 px, `i-lg` 22 px.
    """
    return format_html(
        '<svg class="i {}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        css_class,
        static(ICON_SPRITE),
        name,
    )


@register.filter
def marked(line: Line | None, side: Side) -> SafeString:
    """Return one line of a diff with its changed words marked; see `ui/diff.html`."""
    return mark_line(line, side=side)


@register.filter
def as_split_rows(rows: Iterable[Row]) -> SafeString:
    """Return rows of a diff, both sides beside each other, as rows of a table."""
    return split_rows(rows)


@register.filter
def as_single_rows(rows: Iterable[InlineRow]) -> SafeString:
    """Return rows of a diff, one below the other, as rows of a table."""
    return single_rows(rows)


@register.filter
def listed(things: Iterable[object]) -> str:
    """Return things one after the other, apart as the reader's language has it."""
    return list_words(things)


@register.filter
def weekday(at: datetime) -> str:
    """Return "Monday, 3 Aug 2026, 08:00" in the reader's language."""
    return weekday_and_time(at)


@register.filter
def short_weekday(at: datetime) -> str:
    """Return "Mon, 3 Aug 2026, 08:00" in the reader's language."""
    return weekday_and_time(at, is_short=True)


@register.filter
def markdown(text: str) -> SafeString:
    """Return a passage as HTML; what is safe HTML already stays as it is."""
    return text if isinstance(text, SafeString) else render_markdown(text)


@register.simple_tag
def control(field: BoundField) -> SafeString:
    """Return the field's widget with our class.

    Django adds `aria-describedby` and `aria-invalid`. A placeholder that repeats the label (allauth
    sets such) is left out: the label is always visible here.
    """
    attributes: dict[str, str | bool] = {"class": _CONTROL_CLASSES.get(field.widget_type, "input")}
    placeholder = str(field.field.widget.attrs.get("placeholder", ""))
    if placeholder.casefold() in {str(field.label).casefold(), "email address", "password"}:
        attributes["placeholder"] = False
    return field.as_widget(attrs=attributes)
