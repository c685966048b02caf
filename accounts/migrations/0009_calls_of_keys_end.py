"""The audit of a key's call is written before it; its end may be written into the row, once."""

from typing import ClassVar

from django.db import migrations

_HEAD = """
CREATE OR REPLACE FUNCTION accounts_guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    purpose text := coalesce(current_setting('weknora.audit_purpose', true), '');
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF purpose IN ('retention', 'erasure') THEN
            RETURN OLD;
        END IF;
    ELSIF purpose = 'erasure' THEN
        RETURN NEW;
    ELSIF TG_TABLE_NAME = 'accounts_auditevent' THEN
        IF to_jsonb(NEW) - 'count' = to_jsonb(OLD) - 'count'
           AND (to_jsonb(NEW)->>'count')::bigint > (to_jsonb(OLD)->>'count')::bigint THEN
            RETURN NEW;
        END IF;
"""
_ENDS = """
        IF to_jsonb(OLD)->>'outcome' = 'begun'
           AND to_jsonb(NEW)->>'outcome' IN ('done', 'refused', 'failed')
           AND to_jsonb(NEW) - 'outcome' - 'details' = to_jsonb(OLD) - 'outcome' - 'details'
           AND (to_jsonb(NEW)->'details') @> (to_jsonb(OLD)->'details') THEN
            RETURN NEW;
        END IF;
"""
_TAIL = """
    ELSIF to_jsonb(NEW) - 'user_id' = to_jsonb(OLD) - 'user_id'
          AND to_jsonb(NEW)->>'user_id' IS NULL THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: % of % refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;
"""


class Migration(migrations.Migration):
    """Lets what was begun end; back again, nothing of the sort."""

    dependencies: ClassVar = [("accounts", "0008_storage_of_spaces")]

    operations: ClassVar = [migrations.RunSQL(_HEAD + _ENDS + _TAIL, _HEAD + _TAIL)]
