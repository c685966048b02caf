from importlib import import_module

from django.apps import AppConfig


class ProvidersConfig(AppConfig):
    name = "providers"

    def ready(self) -> None:
        import_module("providers.policies")
        import_module("providers.receivers")
