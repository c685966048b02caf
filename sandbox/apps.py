from importlib import import_module

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "sandbox"

    def ready(self) -> None:
        import_module("sandbox.policies")
        import_module("sandbox.skill_policies")
        import_module("sandbox.export")
        import_module("sandbox.skill_export")
        import_module("sandbox.skill_erasure")
        import_module("sandbox.erasure")
        import_module("sandbox.keeper")
        # Handlers register themselves: commands without a worker carry jobs out, too.
        import_module("sandbox.tasks")
