"""A share names its receivers, or is for all: a flag of its own."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0005_sealed_documents")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="baseshare",
            name="only_receivers",
            field=models.BooleanField(default=False),
        ),
    ]
