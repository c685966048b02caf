"""Counts of terms are kept by triggers: right however keyword rows come and go."""

from typing import ClassVar

from django.db import migrations

# One writer a base at a time, until its transaction ends. The first key is this lock's own.
LOCK = """
CREATE FUNCTION knowledge_lock_terms(base uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
    SELECT pg_advisory_xact_lock(1414679629, hashtext(base::text))
$$
"""

# Bases are locked and terms written in one order, so that two transactions cannot wait for each
# other. The empty term counts the passages themselves.
COUNT = """
CREATE FUNCTION knowledge_count_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM knowledge_lock_terms(base_id)
           FROM (SELECT DISTINCT base_id FROM gone ORDER BY base_id) AS bases;
        DELETE FROM knowledge_termstatistic AS statistic
         USING (SELECT base_id, term, count(*) AS chunks
                  FROM gone, unnest(tsvector_to_array(terms) || ''::text) AS term
                 GROUP BY base_id, term) AS lost
         WHERE statistic.base_id = lost.base_id AND statistic.term = lost.term
           AND statistic.chunk_count <= lost.chunks;
        UPDATE knowledge_termstatistic AS statistic
           SET chunk_count = statistic.chunk_count - lost.chunks
          FROM (SELECT base_id, term, count(*) AS chunks
                  FROM gone, unnest(tsvector_to_array(terms) || ''::text) AS term
                 GROUP BY base_id, term) AS lost
         WHERE statistic.base_id = lost.base_id AND statistic.term = lost.term;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM knowledge_lock_terms(base_id)
           FROM (SELECT DISTINCT base_id FROM come ORDER BY base_id) AS bases;
        INSERT INTO knowledge_termstatistic AS statistic (space_id, base_id, term, chunk_count)
        SELECT space_id, base_id, term, count(*)
          FROM come, unnest(tsvector_to_array(terms) || ''::text) AS term
         GROUP BY space_id, base_id, term ORDER BY base_id, term
            ON CONFLICT (base_id, term)
            DO UPDATE SET chunk_count = statistic.chunk_count + excluded.chunk_count;
    END IF;
    RETURN NULL;
END $$
"""

TRIGGERS = """
CREATE TRIGGER knowledge_terms_come AFTER INSERT ON knowledge_keywordrow
    REFERENCING NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION knowledge_count_terms();
CREATE TRIGGER knowledge_terms_change AFTER UPDATE ON knowledge_keywordrow
    REFERENCING OLD TABLE AS gone NEW TABLE AS come
    FOR EACH STATEMENT EXECUTE FUNCTION knowledge_count_terms();
CREATE TRIGGER knowledge_terms_go AFTER DELETE ON knowledge_keywordrow
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION knowledge_count_terms();
"""

# Room for new versions of a row beside the old one: counts change often, keys never.
ROOM = "ALTER TABLE knowledge_termstatistic SET (fillfactor = 70)"

# Rows that were written before the triggers.
RECOUNT = """
DELETE FROM knowledge_termstatistic;
INSERT INTO knowledge_termstatistic (space_id, base_id, term, chunk_count)
SELECT space_id, base_id, term, count(*)
  FROM knowledge_keywordrow, unnest(tsvector_to_array(terms) || ''::text) AS term
 GROUP BY space_id, base_id, term;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("knowledge", "0001_initial")]

    operations: ClassVar = [
        migrations.RunSQL(LOCK, "DROP FUNCTION knowledge_lock_terms(uuid)"),
        migrations.RunSQL(COUNT, "DROP FUNCTION knowledge_count_terms()"),
        migrations.RunSQL(
            TRIGGERS,
            "DROP TRIGGER knowledge_terms_come ON knowledge_keywordrow;"
            "DROP TRIGGER knowledge_terms_change ON knowledge_keywordrow;"
            "DROP TRIGGER knowledge_terms_go ON knowledge_keywordrow;",
        ),
        migrations.RunSQL(ROOM, "ALTER TABLE knowledge_termstatistic RESET (fillfactor)"),
        migrations.RunSQL(RECOUNT, migrations.RunSQL.noop),
    ]
