"""Open links are closed to people who are removed from their space."""

from typing import ClassVar

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0009_calls_of_keys_end")]

    operations: ClassVar = [
        migrations.AddField(
            "invitation",
            "closed_to",
            models.ManyToManyField(blank=True, related_name="+", to=settings.AUTH_USER_MODEL),
        )
    ]
