"""Feedback and unanswered questions in the head of a base's pages."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from knowledge.pages.tabs import Tab, register_tab

register_tab(Tab(key="feedback", label=_("Feedback"), url_name="base_feedback"))
register_tab(Tab(key="unanswered", label=_("Unanswered"), url_name="base_unanswered"))
