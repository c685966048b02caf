from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_settings_into_config")]

    operations = [
        migrations.AddField(
            model_name="agentrun",
            name="progress",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="agentrun",
            name="progress_epoch",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
