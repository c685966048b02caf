"""A small real OpenID Connect provider on loopback: discovery, keys, token and user-info endpoints.

A test plays the browser: it follows our redirect, lets the provider `approve` it for somebody and
brings code and state back.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID = "weknora"
CLIENT_SECRET = "client-secret-of-the-tests"


class IdentityProvider:
    """Signs ID tokens with a key of its own."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.claims: dict[str, Any] = {}
        """Laid over the claims of the next token."""
        self.user_info: dict[str, Any] = {}
        self.signing_key: Any = self.key
        self.algorithm = "RS256"
        self.discovery: dict[str, Any] = {}
        self.token_requests: list[dict[str, str]] = []
        self._grants: dict[str, dict[str, str]] = {}
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def approve(self, redirect: str) -> tuple[str, dict[str, str]]:
        """Play the provider's page on which somebody says yes; return path and query to come back."""
        asked = dict(parse_qsl(urlsplit(redirect).query))
        code = secrets.token_urlsafe(16)
        self._grants[code] = asked
        back = urlsplit(asked["redirect_uri"]).path
        return back, {"code": code, "state": asked["state"]}

    def describe(self) -> dict[str, Any]:
        """Return the discovery document."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            **self.discovery,
        }

    def keys(self) -> dict[str, Any]:
        """Return the public keys."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def redeem(self, form: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Give tokens for a code, once, to who shows PKCE's verifier and the client's secret."""
        self.token_requests.append(dict(form))
        asked = self._grants.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked.get("code_challenge") != challenge:
            return 400, {"error": "invalid_grant"}
        if form.get("client_secret") != CLIENT_SECRET:
            return 401, {"error": "invalid_client"}
        token = {"access_token": "at", "token_type": "Bearer", "id_token": self._id_token(asked)}
        return 200, token

    def _id_token(self, asked: Mapping[str, str]) -> str:
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": "subject-1",
            "iat": int(time.time()),
            "exp": int(time.time()) + 300,
            "nonce": asked.get("nonce"),
            "email": "neo@example.org",
            "email_verified": True,
            "name": "Neo",
            **self.claims,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, self.signing_key, algorithm=self.algorithm, headers={"kid": "one"})


class _Handler(BaseHTTPRequestHandler):
    provider: IdentityProvider

    def do_GET(self) -> None:
        answers = {
            "/.well-known/openid-configuration": self.provider.describe,
            "/keys": self.provider.keys,
            "/userinfo": lambda: self.provider.user_info,
        }
        answer = answers.get(urlsplit(self.path).path)
        self._send(200 if answer else 404, answer() if answer else {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._send(*self.provider.redeem({k: v[0] for k, v in parse_qs(body).items()}))

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
