"""Files count towards the storage of their space with their rows: see `accounts.models.storage`."""

from typing import ClassVar

from django.db import migrations

_COUNT = """
INSERT INTO accounts_storageuse AS known (space_id, used_bytes)
    SELECT space_id, sum(size) FROM agents_artifact GROUP BY space_id
    ON CONFLICT (space_id) DO UPDATE SET used_bytes = known.used_bytes + excluded.used_bytes;
CREATE TRIGGER count_stored_added AFTER INSERT ON agents_artifact
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_count_stored('size');
CREATE TRIGGER count_stored_gone AFTER DELETE ON agents_artifact
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_count_stored('size');
"""
_FORGET = """
DROP TRIGGER count_stored_added ON agents_artifact;
DROP TRIGGER count_stored_gone ON agents_artifact;
UPDATE accounts_storageuse AS known SET used_bytes = known.used_bytes - gone.bytes
    FROM (SELECT space_id, sum(size) AS bytes FROM agents_artifact GROUP BY space_id) AS gone
    WHERE known.space_id = gone.space_id;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0008_storage_of_spaces"), ("agents", "0009_conversations_of_machines")]

    operations: ClassVar = [migrations.RunSQL(_COUNT, _FORGET)]
