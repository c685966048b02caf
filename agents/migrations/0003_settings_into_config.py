"""Moves tools, rounds, turns and starters of agents from their columns into `config`."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROUNDS, TURNS = 10, 5
"""Defaults of the columns, and of the configuration: what equals them is not stored."""


def _move(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    agents = apps.get_model("agents", "Agent")._base_manager
    for row in agents.values("pk", "tools", "max_rounds", "history_turns", "starters"):
        config: dict[str, Any] = {}
        if row["tools"]:
            config["allowed_tools"] = row["tools"]
        if row["max_rounds"] != ROUNDS:
            config["max_iterations"] = min(max(row["max_rounds"], 1), 100)
        if row["history_turns"] != TURNS:
            config["history_turns"] = min(row["history_turns"], 100)
        if row["starters"]:
            config["question_suggestions"] = {"starters": {"items": row["starters"]}}
        if config:
            agents.filter(pk=row["pk"]).update(config=config)


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_engine_in_full")]

    operations = [
        migrations.RunPython(_move, migrations.RunPython.noop),
        migrations.RemoveField(model_name="agent", name="tools"),
        migrations.RemoveField(model_name="agent", name="max_rounds"),
        migrations.RemoveField(model_name="agent", name="history_turns"),
        migrations.RemoveField(model_name="agent", name="starters"),
    ]
