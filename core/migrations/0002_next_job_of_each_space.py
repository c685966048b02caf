"""An index by which the oldest waiting job of each space is found without reading the others."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Put the space into the index of waiting jobs."""

    dependencies: ClassVar = [("core", "0001_initial")]

    operations: ClassVar = [
        migrations.RemoveIndex(model_name="backgroundjob", name="job_waiting"),
        migrations.AddIndex(
            model_name="backgroundjob",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queue", "space_id", "run_after"],
                name="job_waiting_of_space",
            ),
        ),
    ]
