"""The database refuses to change or delete what the audit log holds."""

from typing import ClassVar

from django.db import migrations

# `weknora.audit_purpose` is set for one transaction by `accounts.services.audit_retention.sweeping`.
# Besides: the count of equal refusals may grow, and a person's row may go from beneath an event.
_GUARD = """
CREATE FUNCTION accounts_guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
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
    ELSIF to_jsonb(NEW) - 'user_id' = to_jsonb(OLD) - 'user_id'
          AND to_jsonb(NEW)->>'user_id' IS NULL THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: % of % refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER accounts_append_only BEFORE UPDATE OR DELETE ON accounts_auditevent
    FOR EACH ROW EXECUTE FUNCTION accounts_guard_audit();
CREATE TRIGGER accounts_append_only BEFORE UPDATE OR DELETE ON accounts_platformauditevent
    FOR EACH ROW EXECUTE FUNCTION accounts_guard_audit();
"""
_UNGUARD = """
DROP TRIGGER accounts_append_only ON accounts_platformauditevent;
DROP TRIGGER accounts_append_only ON accounts_auditevent;
DROP FUNCTION accounts_guard_audit();
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0004_space_requires_two_factor")]

    operations: ClassVar = [migrations.RunSQL(_GUARD, _UNGUARD)]
