"""The bytes that a space keeps, counted by triggers; the language of a space's mails."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

# Tables of stored files call it with the name of their column of bytes, once a statement: a thousand
# rows that go together change the count once. A space's row is made with its first file.
_COUNT = """
CREATE FUNCTION accounts_count_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        EXECUTE format(
            'INSERT INTO accounts_storageuse AS known (space_id, used_bytes)
             SELECT space_id, sum(%I) FROM changed GROUP BY space_id ORDER BY space_id
             ON CONFLICT (space_id) DO UPDATE SET used_bytes = known.used_bytes + excluded.used_bytes',
            TG_ARGV[0]);
    ELSE
        EXECUTE format(
            'UPDATE accounts_storageuse AS known SET used_bytes = known.used_bytes - gone.bytes
             FROM (SELECT space_id, sum(%I) AS bytes FROM changed GROUP BY space_id) AS gone
             WHERE known.space_id = gone.space_id',
            TG_ARGV[0]);
    END IF;
    RETURN NULL;
END
$$
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0007_space_exports")]

    operations: ClassVar = [
        migrations.AddField(
            "space",
            "language",
            models.CharField(blank=True, max_length=10, verbose_name="language"),
        ),
        migrations.CreateModel(
            name="StorageUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("used_bytes", models.BigIntegerField(default=0)),
                ("counted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.space",
                    ),
                ),
            ],
            options={"verbose_name": "storage of a space", "verbose_name_plural": "storage of spaces"},
        ),
        migrations.AddConstraint(
            "storageuse",
            models.UniqueConstraint(fields=["space"], name="one_storage_use_per_space"),
        ),
        migrations.RunSQL(_COUNT, "DROP FUNCTION accounts_count_stored()"),
    ]
