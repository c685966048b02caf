"""A mirror is pushed by https to numbers that were judged, and over nobody else's commits."""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.addresses import AllowList, parse_allow_list
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.wiki.mirror.conftest import Git
from wiki.mirror import pushing
from wiki.mirror.git import environment, redacted
from wiki.mirror.pushing import PushFailed, connection
from wiki.mirror.repository import BRANCH
from wiki.models import WikiMirror

pytestmark = pytest.mark.django_db
Run = Callable[[], WikiMirror]
TOKEN = "glpat-s3cr3t"


@dataclass
class Remote:
    """A repository behind `git http-backend`, by https on this machine."""

    url: str
    folder: Path
    redirects: bool = False
    seen: list[str] = field(default_factory=list)

    def git(self, *arguments: str) -> str:
        command = ["git", f"--git-dir={self.folder}", *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()


class Handler(BaseHTTPRequestHandler):
    remote: Remote

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(body)

    def _answer(self, body: bytes) -> None:
        self.remote.seen.append(self.headers.get("Authorization", ""))
        if self.remote.redirects:
            self.send_response(302)
            self.send_header("Location", self.path.replace("/wiki.git", "/other.git"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        wanted = "Basic " + base64.b64encode(f"git:{TOKEN}".encode()).decode()
        if self.headers.get("Authorization") != wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.remote.folder.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REMOTE_USER": "git",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "CONTENT_LENGTH": str(len(body)),
            },
        )
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in {**headers, "Content-Length": str(len(rest))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(rest)

    def log_message(self, *_: Any) -> None:
        return


def certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("git.example.org")]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "cert.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


@pytest.fixture
def remote(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    folder = tmp_path / "wiki.git"
    subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
    subprocess.run(["git", f"--git-dir={folder}", "config", "http.receivepack", "true"], check=True)
    cert, key = certificate(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    # A name that no resolver has: git gets its number from the guard.
    found = Remote(url=f"https://git.example.org:{server.server_port}/wiki.git", folder=folder)
    Handler.remote = found
    monkeypatch.setattr("core.dialling._resolve", lambda host, port: ["127.0.0.1"])
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    settings.SSRF_ALLOW = parse_allow_list(("127.0.0.1",))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def pushed(mirror: WikiMirror, remote: Remote) -> WikiMirror:
    mirror.address, mirror.token, mirror.branch = remote.url, TOKEN, "docs/wiki"
    mirror.save()
    return mirror


def test_it_arrives_and_a_history_made_anew_replaces_it(
    wiki: KnowledgeBase, run: Run, git: Git, pushed: WikiMirror, remote: Remote
) -> None:
    page = make_page(wiki, content="One.")
    gone = make_page(wiki, content="Gone for good.")
    row = run()
    first = git("rev-parse", BRANCH).strip()
    assert (row.state, row.last_error, row.pushed_commit) == ("done", "", first)
    assert remote.git("rev-parse", "refs/heads/docs/wiki") == first
    gone.delete()
    # A push that nobody wrote down, as when the job dies right after it.
    row = run()
    assert (row.last_error, row.made_anew_at is not None) == ("", True)
    assert remote.git("rev-parse", "refs/heads/docs/wiki") == git("rev-parse", BRANCH).strip()
    assert "Gone for good" not in remote.git("log", "-p", "refs/heads/docs/wiki")
    WikiMirror.objects.filter(pk=row.pk).update(pushed_commit="")
    make_page(wiki, content="Two.")
    assert run().last_error == ""
    assert int(remote.git("rev-list", "--count", "refs/heads/docs/wiki")) == 2
    assert page.version == 1


def test_commits_of_others_are_not_overwritten(
    wiki: KnowledgeBase, run: Run, pushed: WikiMirror, remote: Remote
) -> None:
    make_page(wiki, content="One.")
    tree = remote.git("hash-object", "-w", "-t", "tree", "/dev/null")
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    theirs = remote.git(*name, "commit-tree", tree, "-m", "theirs")
    remote.git("update-ref", "refs/heads/docs/wiki", theirs)
    row = run()
    assert (row.state, row.last_error) == ("failed", pushing.OTHERS)
    assert remote.git("rev-parse", "refs/heads/docs/wiki") == theirs


def test_a_wrong_token_a_redirect_and_a_missing_repository_are_named(
    wiki: KnowledgeBase,
    run: Run,
    pushed: WikiMirror,
    remote: Remote,
    caplog: pytest.LogCaptureFixture,
) -> None:
    make_page(wiki, content="One.")
    remote.redirects = True
    assert run().last_error == pushing.MOVED
    assert len(remote.seen) == 1, "it was not followed"
    remote.redirects = False
    pushed.token = "wrong-t0ken"
    pushed.save()
    assert run().last_error == pushing.REFUSED
    pushed.token, pushed.address = TOKEN, remote.url.replace("wiki.git", "none.git")
    pushed.save()
    assert run().last_error == pushing.NO_REPOSITORY
    for secret in ("wrong-t0ken", TOKEN, *remote.seen):
        assert not secret or secret.rpartition(" ")[2] not in caplog.text


@pytest.mark.parametrize(
    "address",
    ["http://github.com/a/b.git", "https://127.0.0.1/a.git", "https://inner.example.org/a.git"],
)
def test_git_is_not_even_begun_for_an_address_that_is_refused(
    address: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SSRF_ALLOW = AllowList()
    monkeypatch.setattr("core.dialling._resolve", lambda host, port: ["93.184.215.14", "10.1.2.3"])
    with pytest.raises(PushFailed, match="https only|WEKNORA_SSRF_ALLOW"):
        connection(address, TOKEN)


def test_git_gets_the_numbers_and_the_token_by_variables_and_nobodys_settings(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SSRF_ALLOW = AllowList()
    monkeypatch.setenv("GIT_TRACE_CURL", "1")
    monkeypatch.setattr(
        "core.dialling._resolve", lambda host, port: ["93.184.215.14", "2606:2800:21f::1"]
    )
    config = connection("https://git.example.org/a.git", "me:pw")
    given = environment(config, protocols="https")
    names = {
        given[f"GIT_CONFIG_KEY_{n}"]: given[f"GIT_CONFIG_VALUE_{n}"]
        for n in range(30)
        if f"GIT_CONFIG_KEY_{n}" in given
    }
    assert int(given["GIT_CONFIG_COUNT"]) == len(names)
    assert names["http.curloptResolve"] == "git.example.org:443:93.184.215.14,[2606:2800:21f::1]"
    assert names["http.extraHeader"] == "Authorization: Basic bWU6cHc="
    assert names["http.followRedirects"] == "false"
    assert names["protocol.allow"] == "never"
    assert names["core.hooksPath"] == os.devnull
    assert given["GIT_ALLOW_PROTOCOL"] == "https"
    assert given["GIT_TERMINAL_PROMPT"] == "0"
    assert given["GIT_CONFIG_NOSYSTEM"] == "1"
    assert given["GIT_CONFIG_GLOBAL"] == os.devnull
    assert "GIT_TRACE_CURL" not in given


def test_what_git_says_is_redacted() -> None:
    said = redacted("fatal: 'https://me:pw@x.org/a' with s3cr3t", ["s3cr3t", ""])
    assert said == "fatal: 'https://•••@x.org/a' with •••"
