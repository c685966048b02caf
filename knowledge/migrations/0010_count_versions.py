"""Earlier files of documents count towards the storage of their space, and so does another size.

The newest version is the document itself and is counted by that: its row here counts nothing.
"""

from typing import ClassVar

from django.db import migrations

_COUNT = """
CREATE FUNCTION knowledge_count_another_size() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- What it was stays as a version and goes on counting.
    UPDATE accounts_storageuse SET used_bytes = used_bytes + NEW.size_bytes
        - CASE WHEN NEW.version > OLD.version THEN 0 ELSE OLD.size_bytes END
        WHERE space_id = NEW.space_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_stored_changed AFTER UPDATE OF size_bytes, version ON knowledge_document
    FOR EACH ROW WHEN (OLD.size_bytes <> NEW.size_bytes OR OLD.version < NEW.version)
    EXECUTE FUNCTION knowledge_count_another_size();
CREATE FUNCTION knowledge_count_version_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accounts_storageuse SET used_bytes = used_bytes - OLD.size_bytes
        WHERE space_id = OLD.space_id AND EXISTS (
            SELECT 1 FROM knowledge_document
            WHERE id = OLD.document_id AND version <> OLD.number
        );
    RETURN OLD;
END
$$;
CREATE TRIGGER count_stored_gone BEFORE DELETE ON knowledge_documentversion
    FOR EACH ROW EXECUTE FUNCTION knowledge_count_version_gone();
"""
_FORGET = """
DROP TRIGGER count_stored_gone ON knowledge_documentversion;
DROP FUNCTION knowledge_count_version_gone();
DROP TRIGGER count_stored_changed ON knowledge_document;
DROP FUNCTION knowledge_count_another_size();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0009_documents_in_full")]

    operations: ClassVar = [migrations.RunSQL(_COUNT, _FORGET)]
