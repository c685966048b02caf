"""Makes the sandbox's image on a Docker Engine of this host: directories only, no registry needed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.errors import ProjectError
from sandbox.backends.docker.skeleton import make_skeleton


class Command(BaseCommand):
    """manage.py sandbox_image."""

    help = (
        "Make the image of the Docker sandbox; its containers use this host's programs, read-only."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it under the first of the configured names."""
        image = settings.SANDBOX_DOCKER_IMAGES[0]
        try:
            make_skeleton(settings.SANDBOX_DOCKER_URL, image)
        except ProjectError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{image} is made.")
