"""The graph of a base. Entities and relations go with their last mention."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import uuid
from django.db import migrations, models


_FORGET = """
CREATE FUNCTION knowledge_forget_unmentioned() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ends uuid[];
BEGIN
    -- Who adds mentions holds the same lock: what is mentioned again meanwhile stays.
    PERFORM pg_advisory_xact_lock(hashtextextended('graph:' || base_id::text, 0)) FROM (
        SELECT base_id FROM knowledge_graphentity WHERE id IN (SELECT entity_id FROM gone)
        UNION
        SELECT base_id FROM knowledge_graphrelation WHERE id IN (SELECT relation_id FROM gone)
        ORDER BY base_id
    ) AS bases;
    WITH forgotten AS (
        DELETE FROM knowledge_graphrelation AS relation
        WHERE relation.id IN (SELECT relation_id FROM gone) AND NOT EXISTS (
            SELECT 1 FROM knowledge_graphmention WHERE relation_id = relation.id
        )
        RETURNING source_id, target_id
    )
    SELECT array_agg(source_id) || array_agg(target_id) INTO ends FROM forgotten;
    ends := ends || ARRAY(SELECT DISTINCT entity_id FROM gone WHERE entity_id IS NOT NULL);
    DELETE FROM knowledge_graphentity AS entity
    WHERE entity.id = ANY(ends)
        AND NOT EXISTS (SELECT 1 FROM knowledge_graphmention WHERE entity_id = entity.id)
        AND NOT EXISTS (
            SELECT 1 FROM knowledge_graphrelation
            WHERE source_id = entity.id OR target_id = entity.id
        );
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_unmentioned AFTER DELETE ON knowledge_graphmention
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION knowledge_forget_unmentioned();
"""
_REMEMBER = """
DROP TRIGGER forget_unmentioned ON knowledge_graphmention;
DROP FUNCTION knowledge_forget_unmentioned();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_invitations_closed_to'),
        ('knowledge', '0015_evaluation'),
    ]

    operations = [
        migrations.AlterField(
            model_name='stage',
            name='name',
            field=models.CharField(choices=[('parse', 'Read'), ('split', 'Split'), ('embed', 'Embed'), ('index', 'Index'), ('pictures', 'Text of pictures'), ('summary', 'Summary'), ('questions', 'Questions'), ('tables', 'Tables'), ('tags', 'Tags'), ('graph', 'Graph')], max_length=20),
        ),
        migrations.CreateModel(
            name='GraphEntity',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('normalised_name', models.CharField(max_length=120)),
                ('terms', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.knowledgebase')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
            ],
            options={
                'verbose_name': 'entity of a graph',
            },
        ),
        migrations.CreateModel(
            name='GraphPassage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_from', models.CharField(max_length=64)),
                ('error', models.TextField(blank=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('chunk', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.chunk')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.document')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
            ],
            options={
                'verbose_name': 'passage read for a graph',
            },
        ),
        migrations.CreateModel(
            name='GraphRelation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=60)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.knowledgebase')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations_out', to='knowledge.graphentity')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations_in', to='knowledge.graphentity')),
            ],
            options={
                'verbose_name': 'relation of a graph',
            },
        ),
        migrations.CreateModel(
            name='GraphMention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source_hash', models.CharField(max_length=64)),
                ('name', models.CharField(blank=True, max_length=120)),
                ('kind', models.CharField(blank=True, max_length=60)),
                ('description', models.TextField(blank=True)),
                ('chunk', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='graph_mentions', to='knowledge.chunk')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.document')),
                ('entity', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='knowledge.graphentity')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
                ('relation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='knowledge.graphrelation')),
            ],
            options={
                'verbose_name': 'mention in a graph',
            },
        ),
        migrations.AddIndex(
            model_name='graphentity',
            index=django.contrib.postgres.indexes.GinIndex(fields=['terms'], name='graph_entity_terms'),
        ),
        migrations.AddIndex(
            model_name='graphentity',
            index=django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(models.F('normalised_name'), name='gin_trgm_ops'), name='graph_entity_similar'),
        ),
        migrations.AddConstraint(
            model_name='graphentity',
            constraint=models.UniqueConstraint(fields=('base', 'normalised_name'), name='one_entity_per_name'),
        ),
        migrations.AddConstraint(
            model_name='graphrelation',
            constraint=models.UniqueConstraint(fields=('source', 'target', 'kind'), name='one_relation_per_pair_and_kind'),
        ),
        migrations.AddConstraint(
            model_name='graphmention',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('entity__isnull', False), ('relation__isnull', True)), models.Q(('entity__isnull', True), ('relation__isnull', False)), _connector='OR'), name='mention_of_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='graphmention',
            constraint=models.UniqueConstraint(condition=models.Q(('entity__isnull', False)), fields=('chunk', 'entity'), name='one_mention_per_entity'),
        ),
        migrations.AddConstraint(
            model_name='graphmention',
            constraint=models.UniqueConstraint(condition=models.Q(('relation__isnull', False)), fields=('chunk', 'relation'), name='one_mention_per_relation'),
        ),
        migrations.RunSQL(_FORGET, _REMEMBER),
    ]
