"""Gives keys an identity that outlives rotation, and the secret of their users' tokens."""

import uuid

from django.db import migrations, models

import core.secrets


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_append_only_audit'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='identity',
            field=models.UUIDField(db_index=True, default=uuid.uuid4, editable=False),
        ),
        migrations.AddField(
            model_name='apikey',
            name='signing_secret',
            field=core.secrets.EncryptedTextField(blank=True, default=''),
        ),
    ]
