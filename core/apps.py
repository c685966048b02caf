from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        import_module("core.pooling").check_less_often()
        post_migrate.connect(_build_walls, sender=self, dispatch_uid="core.space_keys")


def _build_walls(*, using: str, **_: Any) -> None:
    import_module("core.space_keys").add_space_keys(using=using)
