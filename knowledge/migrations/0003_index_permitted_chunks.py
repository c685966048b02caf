"""Who may find which passage is read from one index, not from the table with the texts."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0002_count_terms")]

    operations: ClassVar = [
        migrations.RunSQL(
            "CREATE INDEX chunk_permitted ON knowledge_chunk"
            " (base_id, document_id, position, id, space_id) WHERE is_enabled",
            "DROP INDEX chunk_permitted",
        ),
    ]
