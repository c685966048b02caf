"""Copies of a space that its owners ask for."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0006_identity_of_keys")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="SpaceExport",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "In preparation"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                            ("gone", "Removed"),
                        ],
                        default="waiting",
                        max_length=12,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("content_hash", models.CharField(blank=True, max_length=64)),
                ("row_count", models.PositiveBigIntegerField(default=0)),
                ("file_count", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.space",
                    ),
                ),
            ],
            options={
                "verbose_name": "export", "verbose_name_plural": "exports",
                "ordering": ["-created_at"],
            },
        ),
    ]
