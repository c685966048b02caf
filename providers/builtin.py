"""Reads `builtin_models.yaml`: values from the environment, strictly, entries checked."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from core.addresses import AddressRefused
from core.dialling import trust_origins
from core.errors import ProjectError
from providers.parameters import ModelParameters
from providers.values import ModelValues, check_values

logger = logging.getLogger(__name__)

BUILTIN_FILE = Path(__file__).with_name("builtin_models.yaml")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class BuiltinModel(BaseModel):
    """One entry of the file, with its variables filled in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(pattern=r"^[a-z0-9-]{1,60}$")
    name: str
    type: str
    provider: str
    model_id: str
    base_url: str = ""
    api_key: str = Field(default="", repr=False)
    extra_headers: dict[str, str] = Field(default_factory=dict, repr=False)
    parameters: ModelParameters = Field(default_factory=ModelParameters)
    default: bool = False
    max_concurrency: int = 4

    def values(self) -> ModelValues:
        """Return the entry as the values of a model row."""
        return ModelValues(
            name=self.name,
            type=self.type,
            provider=self.provider,
            model_id=self.model_id,
            base_url=self.base_url,
            api_key=self.api_key,
            extra_headers=self.extra_headers,
            parameters=self.parameters,
            max_concurrency=self.max_concurrency,
        )


class _Unset(Exception):
    """A variable without a default isn't set."""


def read_builtin_models(
    path: Path = BUILTIN_FILE, environment: Mapping[str, str] | None = None
) -> list[BuiltinModel]:
    """Return the entries whose variables are all set, in the file's order.

    Raises:
        ValueError: the file is not of the expected form; an operator has to correct it.
    """
    variables = os.environ if environment is None else environment
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict) or not isinstance(raw.get("models"), list):
        raise ValueError(f"{path} needs a list `models`")
    found: list[BuiltinModel] = []
    for entry in raw["models"]:
        try:
            filled = _filled(entry, variables)
        except _Unset as unset:
            logger.debug("built-in model %s is left out: %s is not set", entry.get("key"), unset)
            continue
        model = BuiltinModel.model_validate(filled)
        if environment is None and model.base_url:
            _trust(model.base_url)
        check_values(model.values())
        found.append(model)
    return found


def trust_own_addresses() -> None:
    """Let the guarded client call what the operator's file and environment name; at each start."""
    try:
        read_builtin_models()
    except (ValueError, ProjectError):
        logger.exception("%s cannot be used", BUILTIN_FILE.name)


def _trust(address: str) -> None:
    with suppress(AddressRefused):  # no address at all: `check_values` says so
        trust_origins([address])


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, variables) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, variables) for inner in value]
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _value(match, variables), value)
    return value


def _value(match: re.Match[str], variables: Mapping[str, str]) -> str:
    name, default = match.group(1), match.group(2)
    value = variables.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise _Unset(name)
    return default
