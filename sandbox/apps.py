from importlib import import_module

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "sandbox"

    def ready(self) -> None:
        import_module("sandbox.skill_policies")
        import_module("sandbox.skill_export")
        import_module("sandbox.skill_erasure")
