from importlib import import_module
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings


class ProvidersConfig(AppConfig):
    name = "providers"

    def ready(self) -> None:
        import_module("providers.policies")
        import_module("providers.receivers")
        import_module("providers.export")
        import_module("providers.builtin").trust_own_addresses()
        # The engine counts tokens, too, and only looks where the ranks are. Nothing is written
        # before the first start made the installation's folder.
        if Path(settings.DATA_DIR).is_dir():
            import_module("providers.tokens").install_ranks()
