"""Behind a real nginx with TLS, below a sub-path: log-in, pages, sockets, admin."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.ports import free_port
from tests.browser.conftest import browser_type_launch_args  # noqa: F401  the system's Chromium
from tests.product import EMAIL, Product, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.serial]
MINUTE = 60_000
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx:
    """The example of the documentation, with ports and certificate of the test."""

    def __init__(self, folder: Path, *, product_port: int) -> None:
        self.port, self.stripping_port = free_port(), free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._make_certificate()
        example = (REPOSITORY_DIR / "docs" / "nginx.conf.example").read_text()
        for old, new in (
            ("127.0.0.1:8000", f"127.0.0.1:{product_port}"),
            ("/etc/ssl/weknora.pem", str(folder / "cert.pem")),
            ("/etc/ssl/weknora.key", str(folder / "key.pem")),
            ("weknora.example.org", "localhost"),
        ):
            assert old in example, old
            example = example.replace(old, new)
        passing = example.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl")
        server = example[example.index("server {") :]
        stripping = server.replace(
            "listen 443 ssl", f"listen 127.0.0.1:{self.stripping_port} ssl"
        ).replace(f"127.0.0.1:{product_port};", f"127.0.0.1:{product_port}/;")
        paths = "".join(f"{each}_temp_path {folder}/{each};\n" for each in TEMPORARY)
        (folder / "nginx.conf").write_text(
            f"worker_processes 1;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n"
            "events { worker_connections 128; }\n"
            f"http {{\naccess_log off;\n{paths}{passing}\n{stripping}\n}}\n"
        )

    def start(self) -> None:
        """Start it and return when it answers."""
        self._process = subprocess.Popen(
            ["nginx", "-p", str(self._folder), "-c", "nginx.conf", "-g", "daemon off;"],
            stdin=subprocess.DEVNULL,
        )
        wait_for(self._answers, seconds=20, what="nginx answers")

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=20)

    def client(self, port: int) -> httpx.Client:
        """Return a client that trusts the test's certificate alone."""
        trusted = ssl.create_default_context(cafile=str(self._folder / "cert.pem"))
        return httpx.Client(base_url=f"https://localhost:{port}", verify=trusted, timeout=30)

    def _answers(self) -> bool:
        try:
            with self.client(self.port) as client:
                return client.get("/weknora").status_code == 301
        except httpx.TransportError:
            return False

    def _make_certificate(self) -> None:
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
                *("ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"),
                *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
                *("-keyout", str(self._folder / "key.pem"), "-out", str(self._folder / "cert.pem")),
            ],
            check=True,
            capture_output=True,
        )


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    if shutil.which("nginx") is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is missing: apt-get install nginx-light openssl")
    running = Product(
        tmp_path_factory.mktemp("product"),
        WEKNORA_HTTPS="true",
        WEKNORA_ROOT_PATH="/weknora",
        WEKNORA_ALLOWED_HOSTS="localhost,127.0.0.1",
    )
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory, product: Product) -> Iterator[Nginx]:
    running = Nginx(tmp_path_factory.mktemp("nginx"), product_port=product.port)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """A page that takes the test's certificate; every address it asks for is below the prefix."""
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    yield page
    context.close()
    outside = [url for url in asked if "localhost" in url and "/weknora/" not in url]
    assert outside == []


def sign_in(page: Page, nginx: Nginx, product: Product) -> None:
    page.goto(f"https://localhost:{nginx.port}/weknora/")
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#prompt")).to_be_visible()


def test_log_in_first_page_and_chat_by_socket(window: Page, nginx: Nginx, product: Product) -> None:
    sockets: list[str] = []
    window.on("websocket", lambda socket: sockets.append(socket.url))
    sign_in(window, nginx, product)
    assert window.url == f"https://localhost:{nginx.port}/weknora/"
    cookies = {each["name"]: each for each in window.context.cookies()}
    for name in ("__Secure-sessionid", "__Secure-csrftoken"):
        assert cookies[name]["path"] == "/weknora/"
        assert cookies[name]["secure"]
    window.fill("#prompt", "What can you do?")
    window.get_by_role("button", name="Send", exact=True).click()
    expect(window.locator(".acts").last).to_be_visible(timeout=2 * MINUTE)
    assert sockets
    assert all(url.startswith(f"wss://localhost:{nginx.port}/weknora/ws/") for url in sockets)


def test_the_admin_site_works_below_the_path(window: Page, nginx: Nginx, product: Product) -> None:
    sign_in(window, nginx, product)
    window.goto(f"https://localhost:{nginx.port}/weknora/admin/accounts/user/")
    expect(window.get_by_text(EMAIL).first).to_be_visible()
    window.goto(f"https://localhost:{nginx.port}/weknora/profile/")
    window.fill("[name=name]", "Ada")
    window.get_by_role("button", name="Save").first.click()
    expect(window.get_by_text("Changes saved.")).to_be_visible()
    window.goto(f"https://localhost:{nginx.port}/weknora/account/logout/")
    window.get_by_role("button", name="Sign out").first.click()
    expect(window.locator("[name=login]")).to_be_visible()
    assert window.url.startswith(f"https://localhost:{nginx.port}/weknora/account/login/")


@pytest.mark.parametrize("port", ["port", "stripping_port"])
def test_addresses_carry_the_prefix_whether_the_proxy_strips_it_or_not(
    nginx: Nginx, port: str
) -> None:
    with nginx.client(getattr(nginx, port)) as client:
        first = client.get("/weknora/")
        assert first.status_code == 302
        assert first.headers["location"].startswith("/weknora/account/login/")
        page = client.get(first.headers["location"])
        assert page.status_code == 200
        assert "strict-transport-security" in page.headers
        static = "/weknora/static/css/tokens.css"
        assert static in page.text
        assert client.get(static).status_code == 200
        assert client.get("/weknora/nowhere/").status_code in (302, 404)


def test_health_is_asked_at_the_port_itself_with_and_without_the_prefix(
    product: Product, nginx: Nginx
) -> None:
    for path in ("/health/live", "/weknora/health/live"):
        assert httpx.get(f"http://127.0.0.1:{product.port}{path}").status_code == 200


def test_plain_http_is_sent_to_https_below_the_prefix(product: Product, nginx: Nginx) -> None:
    answer = httpx.get(f"http://127.0.0.1:{product.port}/weknora/account/login/")
    assert answer.status_code == 301
    assert answer.headers["location"].startswith("https://")
    assert "/weknora/account/login/" in answer.headers["location"]


def test_a_client_cannot_choose_the_prefix(product: Product, nginx: Nginx) -> None:
    with nginx.client(nginx.port) as client:
        headers = {"Daphne-Root-Path": "/elsewhere"}
        answer = client.get("/weknora/", headers=headers)
        assert answer.headers["location"].startswith("/weknora/")
