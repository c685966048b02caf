from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IntegrationsConfig(AppConfig):
    name = "integrations"
    verbose_name = _("Connections")

    def ready(self) -> None:
        import_module("integrations.api.checks").register_checks()
