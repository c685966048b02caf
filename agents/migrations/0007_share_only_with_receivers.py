"""A share names its receivers, or is for all: a flag of its own."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("agents", "0006_shares")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="agentshare",
            name="only_receivers",
            field=models.BooleanField(default=False),
        ),
    ]
