"""The sub-path under which a proxy shows the product, such as `/weknora`.

Servers disagree about what an application is told: a proxy may pass the whole path or strip the
prefix, and Daphne believes a header of the client about it. Here it becomes one form: the path is
whole, the prefix comes from the settings alone.
"""

from __future__ import annotations

from typing import Any

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope


class RootPathMiddleware:
    """Puts the prefix in front of paths that lack it, and says which it is."""

    def __init__(self, application: ASGI3Application, *, prefix: str) -> None:
        self._application = application
        self._prefix = prefix

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Hand the connection on."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        changed: Any = {**scope, "path": self._whole(scope["path"]), "root_path": self._prefix}
        await self._application(changed, receive, send)

    def _whole(self, path: str) -> str:
        if path == self._prefix and path:
            return f"{path}/"
        if path.startswith(f"{self._prefix}/"):
            return path
        return f"{self._prefix}{path}"
