from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0007_share_only_with_receivers")]

    operations = [
        migrations.AddField(
            model_name="agentrun",
            name="inherited_document_ids",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
