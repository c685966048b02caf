"""The backend of the Docker Engine: one container for each workspace."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings as site_settings
from django.utils.translation import gettext as _
from docker.errors import APIError, NotFound

from core.errors import Invalid, ProjectError
from sandbox.backends.docker.containers import (
    KEY_LABEL,
    LABEL,
    container_name,
    created_at,
    creation,
)
from sandbox.backends.docker.engine import Client, Container, client_of, deployment_id, named
from sandbox.backends.docker.execution import ROOT
from sandbox.backends.docker.skills import packed_skills
from sandbox.backends.docker.workspace import DockerWorkspace
from sandbox.contract import (
    Enforcement,
    Probe,
    SandboxInfo,
    SandboxLimits,
    SkillMount,
    Workspace,
)
from sandbox.errors import SandboxFailed, SandboxGone

_PROBE_SECONDS = 30.0
_CONFLICT = 409
_CREATION_SECONDS, _REMOVAL_SECONDS = 10.0, 20.0
_prepared: set[str] = set()
"""Containers that this process has seen ready; whoever made one may have died before it was."""


class DockerBackend:
    """Runs commands in containers. The engine and its images are the installation's, not a space's."""

    name = "docker"

    def __init__(self, *, url: str = "", image: str = "", runtime: str = "") -> None:
        """Use an engine, an image that it has, and a runtime such as `runsc`; else the defaults."""
        self._url = url or site_settings.SANDBOX_DOCKER_URL
        self._image = image or site_settings.SANDBOX_DOCKER_IMAGES[0]
        self._runtime = runtime

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> DockerBackend:
        """Read `image`, one of the installation's, and `runtime`.

        Raises:
            Invalid: the image is another.
        """
        image = str(settings.get("image") or "")
        if image and image not in site_settings.SANDBOX_DOCKER_IMAGES:
            raise Invalid(
                _("The image %(image)r is none of this installation's: %(names)s.")
                % {"image": image, "names": ", ".join(site_settings.SANDBOX_DOCKER_IMAGES)}
            )
        return cls(image=image, runtime=str(settings.get("runtime") or ""))

    def probe(self) -> Probe:
        """Run `true` in a new container and ask the engine what it limits."""
        key = f"probe-{secrets.token_hex(8)}"
        try:
            with named():
                information: dict[str, Any] = self._client().info()
            try:
                workspace = self.create(key, SandboxLimits())
                result = workspace.exec(["/usr/bin/true"], timeout_seconds=_PROBE_SECONDS)
            finally:
                self.destroy(key)
        except ProjectError as error:
            return Probe(works=False, detail=str(error))
        if result.exit_code != 0:
            said = result.stderr.decode("utf-8", "replace")[:300]
            return Probe(works=False, detail=f"A command in a container failed: {said}")
        limits = _enforced(information)
        version = str(information.get("ServerVersion", ""))
        return Probe(works=True, detail=_weakness(limits), version=version, limits=limits)

    def create(
        self, key: str, limits: SandboxLimits, skills: Sequence[SkillMount] = ()
    ) -> Workspace:
        """Return the workspace of `key`; see `sandbox.contract.SandboxBackend`."""
        client = self._client()
        with named():
            container, lost = self._container(client, key, limits)
        workspace = DockerWorkspace(key, client, container, limits=limits, lost=lost)
        if container.id not in _prepared:
            workspace.prepare()
            _prepared.add(container.id)
        if skills:
            workspace.unpack(packed_skills(skills), "/skills", user=ROOT)
        return workspace

    def list(self) -> Iterator[SandboxInfo]:
        """Give every container of this installation, also stopped ones."""
        with named():
            found = self._client().containers.list(
                all=True, filters={"label": f"{LABEL}={deployment_id()}"}, ignore_removed=True
            )
        for container in found:
            labels: dict[str, str] = container.labels
            yield SandboxInfo(
                key=labels.get(KEY_LABEL, ""),
                created_at=created_at(labels),
                running=container.status == "running",
            )

    def destroy(self, key: str) -> None:
        """Remove a container with everything in it; without error when it is gone already."""
        try:
            with named():
                self._client().api.remove_container(container_name(key), force=True, v=True)
        except SandboxGone:
            # It is gone, or somebody removes it this moment: then it is to be gone at the end, too.
            self._wait_until_gone(key)

    def _wait_until_gone(self, key: str) -> None:
        deadline = time.monotonic() + _REMOVAL_SECONDS
        while time.monotonic() < deadline:
            try:
                with named():
                    self._client().api.inspect_container(container_name(key))
            except SandboxGone:
                return
            time.sleep(0.1)
        raise SandboxFailed("Docker does not get a container removed.")

    def _client(self) -> Client:
        return client_of(self._url)

    def _container(self, client: Client, key: str, limits: SandboxLimits) -> tuple[Container, bool]:
        """Return the container that runs, and whether it takes the place of a dead one."""
        lost = False
        try:
            container = client.containers.get(container_name(key))
            if container.status == "running":
                return container, False
            if container.status != "created":
                # Its files were in memory and ended with it.
                container.remove(force=True, v=True)
                lost = True
        except NotFound:
            pass
        arguments = creation(client, key, limits, image=self._image, runtime=self._runtime)
        try:
            container = client.containers.create(**arguments)
        except APIError as error:
            if error.status_code != _CONFLICT:
                raise
            # Somebody else made it this moment: use theirs, never remove it.
            container = _made_by_another(client, key)
        container.start()
        return container, lost


def _made_by_another(client: Client, key: str) -> Container:
    """Return a container whose name is taken already, but which may not be listed yet."""
    deadline = time.monotonic() + _CREATION_SECONDS
    while True:
        try:
            return client.containers.get(container_name(key))
        except NotFound:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _enforced(information: Mapping[str, Any]) -> dict[str, Enforcement]:
    options = " ".join(information.get("SecurityOptions") or ())
    holds = {
        "memory": bool(information.get("MemoryLimit")),
        "cpu": bool(information.get("CpuCfsQuota")),
        "processes": bool(information.get("PidsLimit")),
        "disk": True,
        "files": True,
        "network": True,
        "system_calls": "name=seccomp" in options,
        "user": "name=userns" in options or "name=rootless" in options,
    }
    return {name: Enforcement.KERNEL if held else Enforcement.NONE for name, held in holds.items()}


def _weakness(limits: Mapping[str, Enforcement]) -> str:
    missing = sorted(name for name, how in limits.items() if how is Enforcement.NONE)
    sentences = [f"Not limited here: {', '.join(missing)}."] if missing else []
    if "user" in missing:
        sentences.append("Commands run as user 1000 of the host; --userns-remap changes that.")
    return " ".join(sentences)
