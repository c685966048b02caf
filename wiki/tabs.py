"""The wiki among the views of a knowledge base."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from knowledge.constants import BaseKind
from knowledge.pages.tabs import Tab, register_tab

register_tab(
    Tab(
        key="wiki",
        label=_("Wiki"),
        url_name="wiki_index",
        is_for_readers=True,
        of_kind=BaseKind.DOCUMENT,
    )
)
