"""The admin site in the product's colours: the scales of static/css/tokens.css."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

_BASE = {
    50: "98.2% .003 265",
    100: "96.5% .004 265",
    200: "92.4% .006 265",
    300: "87% .009 265",
    400: "71% .014 265",
    500: "55.4% .017 265",
    600: "44.6% .018 265",
    700: "36.5% .018 265",
    800: "27% .016 265",
    900: "20.4% .014 265",
    950: "15.8% .012 265",
}
_PRIMARY = {
    50: "97.2% .015 268",
    100: "94% .032 268",
    200: "88.5% .062 268",
    300: "80.5% .105 268",
    400: "71.5% .148 268",
    500: "61.5% .19 267",
    600: "53% .205 266",
    700: "46.5% .188 266",
    800: "40% .15 267",
    900: "34% .112 268",
    950: "25% .07 268",
}


def _asset(name: str) -> Callable[[HttpRequest], str]:
    return lambda _request: static(name)


def _scale(values: dict[int, str]) -> dict[str, str]:
    return {str(step): f"oklch({value})" for step, value in values.items()}


def _entry(title: Any, icon: str, url_name: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse_lazy(url_name)}


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _("Administration · WeKnora Django"),
    "SITE_HEADER": "WeKnora Django",
    "SITE_SUBHEADER": _("Administration"),
    "SITE_SYMBOL": "layers",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _asset("img/mark.svg")}],
    "SITE_URL": reverse_lazy("chat_new"),
    "BORDER_RADIUS": "8px",
    "STYLES": [_asset("css/tokens.css"), _asset("css/bridge.css"), _asset("css/console.css")],
    "COLORS": {"base": _scale(_BASE), "primary": _scale(_PRIMARY)},
    "DASHBOARD_CALLBACK": "weknora_site.dashboard.fill_dashboard",
    "SIDEBAR": {
        "show_search": True,
        "show_all_applications": True,
        "navigation": [
            {
                "title": _("Installation"),
                "items": [
                    _entry(_("Overview"), "dashboard", "admin:index"),
                    _entry(_("Access lens"), "visibility", "admin:accounts_lens"),
                    _entry(_("System settings"), "tune", "admin:accounts_systemsetting_changelist"),
                    _entry(_("People"), "group", "admin:accounts_user_changelist"),
                    _entry(_("Spaces"), "workspaces", "admin:accounts_space_changelist"),
                    _entry(_("Keys of the installation"), "key", "platform_keys"),
                    _entry(_("Erasure"), "delete_forever", "erasures"),
                    _entry(_("Jobs"), "work_history", "admin:core_backgroundjob_changelist"),
                    _entry(_("Audit"), "history", "admin:accounts_auditevent_changelist"),
                    _entry(
                        _("Audit of the installation"),
                        "policy",
                        "admin:accounts_platformauditevent_changelist",
                    ),
                ],
            }
        ],
    },
    "COMMAND": {
        "search_models": ["accounts.User", "accounts.Space", "accounts.Organisation"],
        "show_history": True,
    },
}
