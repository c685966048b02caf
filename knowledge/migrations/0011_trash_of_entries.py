"""Deleted entries of questions and answers can be restored for a while."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0010_count_versions")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="faqentry",
            name="trashed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
