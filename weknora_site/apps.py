from django.apps import AppConfig


class WeknoraSiteConfig(AppConfig):
    name = "weknora_site"

    def ready(self) -> None:
        # Whoever enqueues must send by this application, and checks must be registered.
        import weknora_site.celery  # noqa: F401
        import weknora_site.checks  # noqa: F401
        from weknora_site.lens_kinds import register_lens_kinds

        register_lens_kinds()
