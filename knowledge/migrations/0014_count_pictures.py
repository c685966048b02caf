"""Pictures of documents count towards the storage of their space."""

from typing import ClassVar

from django.db import migrations

_COUNT = """
CREATE TRIGGER count_stored_added AFTER INSERT ON knowledge_documentpicture
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_count_stored('size_bytes');
CREATE TRIGGER count_stored_gone AFTER DELETE ON knowledge_documentpicture
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_count_stored('size_bytes');
"""
_FORGET = """
DROP TRIGGER count_stored_added ON knowledge_documentpicture;
DROP TRIGGER count_stored_gone ON knowledge_documentpicture;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0013_uploads_of_batches")]

    operations: ClassVar = [migrations.RunSQL(_COUNT, _FORGET)]
