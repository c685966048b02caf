from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0012_stages_that_wait")]

    operations = [
        # What the browser told of files that did not become documents.
        migrations.AddField(
            model_name="ingestbatch",
            name="uploads",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
