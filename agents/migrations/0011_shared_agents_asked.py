"""Conversations and runs name the shared agent that they ask; usage names who asked."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("agents", "0010_count_stored_bytes")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="conversation",
            name="shared_agent_id",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="conversation",
            name="shared_space_id",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="agentrun",
            name="shared_agent_id",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="agentrun",
            name="shared_space_id",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="agentrun",
            name="shared_agent_name",
            field=models.CharField(blank=True, default="", max_length=120),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="agentrun",
            name="stop_reason",
            field=models.CharField(blank=True, default="", max_length=300),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="agentrun",
            index=models.Index(
                condition=models.Q(("shared_agent_id__isnull", False)),
                fields=["shared_space_id", "state"],
                name="run_of_shared_agent",
            ),
        ),
        migrations.AddConstraint(
            model_name="agentrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("shared_agent_id__isnull", True),
                    models.Q(("agent__isnull", True), ("shared_space_id__isnull", False)),
                    _connector="OR",
                ),
                name="run_has_one_agent",
            ),
        ),
        migrations.AddField(
            model_name="modelusage",
            name="asking_space_id",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="modelusage",
            name="asking_run_id",
            field=models.UUIDField(null=True),
        ),
        migrations.AddConstraint(
            model_name="modelusage",
            constraint=models.UniqueConstraint(
                condition=models.Q(("asking_run_id__isnull", False)),
                fields=("asking_run_id", "seq"),
                name="one_usage_per_event_elsewhere",
            ),
        ),
    ]
