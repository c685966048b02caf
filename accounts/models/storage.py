"""How many bytes a space keeps."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned


class StorageUse(SpaceOwned):
    """The sum of the sizes of a space's stored files.

    The database counts: a trigger on each table of stored files adds and subtracts with the rows
    themselves (`accounts_count_stored`), whoever writes them and however. `accounts.services.quota`
    reads it and counts anew at night.
    """

    used_bytes = models.BigIntegerField(default=0)
    counted_at = models.DateTimeField(null=True, blank=True)
    """When all rows were last added up."""

    class Meta:
        verbose_name = _("storage of a space")
        verbose_name_plural = _("storage of spaces")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space"], name="one_storage_use_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.used_bytes} bytes of space {self.space_id}"
