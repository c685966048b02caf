from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0011_trash_of_entries")]

    operations = [
        migrations.AlterField(
            model_name="stage",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "Waiting"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("skipped", "Skipped"),
                    ("failed", "Failed"),
                    ("cancelled", "Canceled"),
                ],
                default="running",
                max_length=20,
            ),
        ),
        # One call costs a fraction of a cent.
        migrations.AlterField(
            model_name="ingestbatch",
            name="spent_cents",
            field=models.DecimalField(decimal_places=6, default=0, max_digits=18),
        ),
    ]
