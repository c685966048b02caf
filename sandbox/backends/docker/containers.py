"""How a container is made: no rights, no network, a read-only root and small file systems in memory."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac
from docker.types import LogConfig, Mount, Ulimit

from sandbox.backends.docker.engine import Client, deployment_id
from sandbox.backends.environment import PYTHON_DIR
from sandbox.backends.filters import engine_profile
from sandbox.contract import INPUT, MIB, WORKSPACE, SandboxLimits

LABEL = "app.weknora.sandbox"
KEY_LABEL, CREATED_LABEL = f"{LABEL}.key", f"{LABEL}.created"
USERLAND_LABEL = f"{LABEL}.userland"
"""Of an image: `host` when it has no programs and shows those of the host, read-only."""
_HOST_DIRECTORIES = ("/usr", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache")
_TMP, _SKILLS, _SHARED = 16 * MIB, 32 * MIB, 8 * MIB
_SKILL_FILES = 4096


def container_name(key: str) -> str:
    """Return the name of a workspace's container; keys may hold what names may not."""
    digest = salted_hmac("sandbox.docker.name", key, algorithm="sha256").hexdigest()[:24]
    return f"weknora-sandbox-{deployment_id()}-{digest}"


def creation(
    client: Client, key: str, limits: SandboxLimits, *, image: str, runtime: str
) -> dict[str, Any]:
    """Return the arguments with which a container is made.

    Raises:
        docker.errors.ImageNotFound: there is no such image.
    """
    arguments: dict[str, Any] = {
        "image": image,
        "command": ["sleep", "infinity"],
        "detach": True,
        "name": container_name(key),
        "hostname": "sandbox",
        # The first process reaps zombies, as a root without rights that user 1000 cannot signal.
        "user": "0:0",
        "init": True,
        "working_dir": WORKSPACE,
        "labels": _labels(key),
        "log_config": LogConfig(type="none"),
        "restart_policy": {"Name": "no"},
        "mounts": _mounts(client, image),
        **_limits(limits),
        **_rights(),
    }
    if runtime:
        arguments["runtime"] = runtime
    return arguments


def created_at(labels: dict[str, str]) -> datetime:
    """Return when a container was made, from its labels."""
    try:
        return datetime.fromisoformat(labels[CREATED_LABEL])
    except (KeyError, ValueError):
        return timezone.now()


def _labels(key: str) -> dict[str, str]:
    now = timezone.now().isoformat()
    return {LABEL: deployment_id(), KEY_LABEL: key, CREATED_LABEL: now}


def _rights() -> dict[str, Any]:
    return {
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={engine_profile()}"],
        "read_only": True,
        "ipc_mode": "private",
    }


def _limits(limits: SandboxLimits) -> dict[str, Any]:
    size, files = limits.workspace_bytes, limits.workspace_files
    room = f"rw,exec,nosuid,nodev,size={size},nr_inodes={files},mode=1777"
    return {
        "mem_limit": limits.memory_bytes,
        "memswap_limit": limits.memory_bytes,
        "nano_cpus": int(limits.cpus * 10**9),
        "pids_limit": limits.processes,
        "shm_size": _SHARED,
        "tmpfs": {
            "/tmp": f"rw,nosuid,nodev,size={_TMP},mode=1777",  # noqa: S108  of the container
            WORKSPACE: room,
            # A mount can be neither renamed nor replaced, and this one is root's.
            INPUT: f"rw,nosuid,nodev,noexec,size={size},nr_inodes={files},mode=0755",
            # What an administrator put on the host is none of the sandbox's business.
            "/usr/local": "ro,nosuid,nodev,noexec,size=4096,mode=0755",
            "/skills": f"rw,exec,nosuid,nodev,size={_SKILLS},nr_inodes={_SKILL_FILES},mode=0755",
        },
        "ulimits": [
            Ulimit(name="nofile", soft=limits.open_files, hard=limits.open_files),
            Ulimit(name="fsize", soft=limits.file_bytes, hard=limits.file_bytes),
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="msgqueue", soft=0, hard=0),
            Ulimit(name="memlock", soft=65_536, hard=65_536),
        ],
    }


def _mounts(client: Client, image: str) -> list[Mount]:
    """Return what an image without programs of its own shows of the host."""
    labels = client.images.get(image).labels
    if labels.get(USERLAND_LABEL) != "host":
        return []
    shown = [(Path(path), path) for path in _HOST_DIRECTORIES]
    shown.append((Path(settings.SANDBOX_PYTHON_DIR), PYTHON_DIR))
    return [
        Mount(target, str(source), type="bind", read_only=True)
        for source, target in shown
        if source.exists()
    ]
