"""An owner may require a second factor of a space's members."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_organisations_keys_groups")]

    operations = [
        migrations.AddField(
            model_name="space",
            name="requires_two_factor",
            field=models.BooleanField(default=False, verbose_name="members need two-factor"),
        ),
    ]
