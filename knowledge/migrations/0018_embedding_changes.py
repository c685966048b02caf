
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_invitations_closed_to'),
        ('knowledge', '0017_search_records'),
        ('providers', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EmbeddingChange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('from_name', models.CharField(max_length=200)),
                ('from_identity', models.CharField(max_length=200)),
                ('to_name', models.CharField(max_length=200)),
                ('to_identity', models.CharField(max_length=200)),
                ('state', models.CharField(choices=[('building', 'Building'), ('ready', 'Ready to cut over'), ('live', 'Live, can be undone'), ('undone', 'Undone'), ('finished', 'Finished'), ('canceled', 'Canceled'), ('failed', 'Failed')], default='building', max_length=12)),
                ('wants_switch', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('spent_tokens', models.PositiveBigIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ready_at', models.DateTimeField(blank=True, null=True)),
                ('switched_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('kept_until', models.DateTimeField(blank=True, null=True)),
                ('forgotten_at', models.DateTimeField(blank=True, null=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='embedding_changes', to='knowledge.knowledgebase')),
                ('from_model', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='providers.aimodel')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.space')),
                ('to_model', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='providers.aimodel')),
            ],
            options={
                'verbose_name': 'change of the embedding model',
                'verbose_name_plural': 'changes of the embedding model',
                'ordering': ['-created_at'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('building', 'ready', 'live'))), fields=('base',), name='one_open_embedding_change')],
            },
        ),
    ]
