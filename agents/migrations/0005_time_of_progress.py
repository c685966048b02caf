from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0004_progress_of_runs")]

    operations = [
        migrations.AddField(
            model_name="agentrun",
            name="progress_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
