"""Every removed document leaves a trace: those read as a guest close when their share ends."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0006_share_only_with_receivers")]

    operations: ClassVar = [
        migrations.RenameModel("SealedDocument", "RemovedDocument"),
        migrations.AddField("removeddocument", "base_id", models.UUIDField(null=True)),
        migrations.AddField(
            "removeddocument", "was_restricted", models.BooleanField(default=True)
        ),
    ]
