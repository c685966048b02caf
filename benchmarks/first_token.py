"""How long after a question the first word of its answer is shown, while many answers are being made.

Starts the product as `make run` does, with a model that answers at once and then goes on for ten
seconds. Questions are sent over the chat's socket, five a second, so that about `--chats` runs are open
all the time; measured is the time from sending the question to the frame with the first words. Beside
it: a bare call of the same model at the same time, the processor share of this program itself, and
the processor time of the product a run, by kind of process: it hardly depends on what else goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import psycopg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._model_service import start_model_service
from benchmarks._processor import processor_seconds, used_between
from benchmarks._report import finish, print_table, progress
from tests.product import EMAIL, Product

NAME = "first_token"
TARGET_MS = 150
STARTS_A_SECOND = 5
MEASURED_STARTS = 150
SPARE_WINDOWS = 20
GIVE_UP_SECONDS = 30.0
QUESTION = "Say something for {seconds} seconds."


@dataclass
class Load:
    """What was measured, seconds."""

    product: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    open_runs: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    open: int = 0
    own_share: float = 0.0
    """Processor time of this program by wall time."""
    starts: int = 0
    processor: dict[str, float] = field(default_factory=dict)
    """Processor time of each kind of process between the first measured start and the last."""


class Chat:
    """A window on one conversation, in which one question is asked after the other."""

    def __init__(self, socket: ClientConnection, *, seconds: int, load: Load) -> None:
        self._socket = socket
        self._seconds = seconds
        self._load = load
        self.is_idle = True

    async def ask(self, found: list[float]) -> None:
        """Ask; note how long the first words took; wait for the end."""
        question = {
            "type": "message.send",
            "text": QUESTION.format(seconds=self._seconds),
            "client_id": uuid4().hex,
        }
        self._load.open += 1
        try:
            began = time.perf_counter()
            await self._socket.send(json.dumps(question))
            async with asyncio.timeout(GIVE_UP_SECONDS + self._seconds):
                while not _shows_words(await self._socket.recv()):
                    pass
                found.append(time.perf_counter() - began)
                while not _ends(await self._socket.recv()):
                    pass
            self.is_idle = True
        except (TimeoutError, WebSocketException) as error:
            self._load.failed.append(f"{type(error).__name__} {error}")
        finally:
            self._load.open -= 1


def _shows_words(frame: str | bytes) -> bool:
    return any(op["op"] == "md" for op in json.loads(frame).get("ops", ()))


def _ends(frame: str | bytes) -> bool:
    ops = json.loads(frame).get("ops", ())
    return any(op["op"] == "run" and op["state"] == "idle" for op in ops)


async def put_under_load(product: Product, cookie: str, *, chats: int, model: str) -> Load:
    """Keep about `chats` runs open, in windows that are open already; measure from when they are."""
    load = Load()
    seconds = max(1, chats // STARTS_A_SECOND - 1)
    before = chats + STARTS_A_SECOND
    async with AsyncExitStack() as stack, httpx.AsyncClient() as client:
        windows = []
        for conversation_id in make_conversations(product, chats + SPARE_WINDOWS):
            url = f"{product.url.replace('http', 'ws')}/ws/conversations/{conversation_id}/"
            headers = {"Cookie": cookie, "Origin": product.url}
            socket = connect(url, additional_headers=headers, max_size=None, ping_interval=None)
            window = await stack.enter_async_context(socket)
            windows.append(Chat(window, seconds=seconds, load=load))
        tasks: list[asyncio.Task[None]] = []
        wall, used = time.perf_counter(), time.process_time()
        processor: dict[str, float] = {}
        for number in range(before + MEASURED_STARTS):
            if number == before:
                processor = await asyncio.to_thread(processor_seconds, product)
            idle = next((each for each in windows if each.is_idle), None)
            if idle is None:
                load.failed.append("no window was free: answers take too long")
            else:
                idle.is_idle = False
                measured = load.product if number >= before else []
                tasks.append(asyncio.create_task(idle.ask(measured)))
            if number >= before and number % STARTS_A_SECOND == 0:
                load.open_runs.append(load.open)
                tasks.append(asyncio.create_task(_call_bare(client, model, load.bare)))
            await asyncio.sleep(1 / STARTS_A_SECOND)
        now = await asyncio.to_thread(processor_seconds, product)
        load.starts, load.processor = MEASURED_STARTS, used_between(processor, now)
        load.own_share = (time.process_time() - used) / (time.perf_counter() - wall)
        await asyncio.gather(*tasks)
    return load


async def _call_bare(client: httpx.AsyncClient, model: str, found: list[float]) -> None:
    body = {"messages": [{"role": "user", "content": "0 seconds"}], "stream": True}
    began = time.perf_counter()
    async with client.stream("POST", f"{model}/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if "First" in line:
                found.append(time.perf_counter() - began)


def make_conversations(product: Product, count: int) -> list[UUID]:
    """Make empty conversations of the administrator."""
    ids = [uuid4() for _ in range(count)]
    with psycopg.connect(product.database_url) as connection, connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO agents_conversation (id, space_id, user_id, title, base_ids, is_internal,"
            " principal, created_at, last_message_at) SELECT %s, m.space_id, m.user_id, 'A talk',"
            " '[]', false, '', now(), now() FROM accounts_membership m JOIN accounts_user u ON u.id = m.user_id"
            " WHERE u.email = %s LIMIT 1",
            [(each, EMAIL) for each in ids],
        )
    return ids


def sign_in(product: Product) -> str:
    """Log in and return the cookie header."""
    with httpx.Client(base_url=product.url, follow_redirects=True) as client:
        page = client.get("/account/login/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token, "the log-in page has no form"
        form = {"login": EMAIL, "password": product.password, "csrfmiddlewaretoken": token[1]}
        client.post(
            "/account/login/", data=form, headers={"Referer": f"{product.url}/account/login/"}
        )
        assert "sessionid" in client.cookies, "the log-in was refused"
        return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=50)
    chats = parser.parse_args().chats
    model, address = start_model_service("lingering")
    with tempfile.TemporaryDirectory(prefix="weknora-first-token-", dir="/var/tmp") as folder:
        # One person asks all of it.
        product = Product(
            Path(folder), LLM_BASE_URL=address, LLM_MODEL_NAME="scripted", WEKNORA_LIMIT_ASK="0"
        )
        try:
            product.start()
            progress("the product runs; questions begin")
            work = put_under_load(product, sign_in(product), chats=chats, model=address)
            load = asyncio.run(work)
        finally:
            product.stop()
            model.terminate()
            model.wait()
    return report(load)


def report(load: Load) -> int:
    """Print the table and the last line."""
    if len(load.product) < MEASURED_STARTS * 0.95:
        progress("\n".join(load.failed[:5]) or "questions were not answered")
        return finish(NAME, f"only {len(load.product)} answers", target="all", met=False)
    rows = [
        (name, f"{_ms(values, 50)}", f"{_ms(values, 95)}", f"{max(values) * 1000:.0f}")
        for name, values in (("product", load.product), ("bare call", load.bare))
    ]
    print_table(("first token", "p50 ms", "p95 ms", "max ms"), rows)
    print_table(
        ("beside", "value"),
        [
            ("answers measured", len(load.product)),
            ("open runs, mean", f"{statistics.mean(load.open_runs):.0f}"),
            ("load generator's processor share", f"{load.own_share:.0%}"),
        ],
    )
    print_table(
        ("processor time of", "ms a run"),
        [
            (name, f"{seconds / load.starts * 1000:.0f}")
            for name, seconds in (*load.processor.items(), ("all", sum(load.processor.values())))
        ],
    )
    p95 = _ms(load.product, 95)
    ratio = p95 / max(1, _ms(load.bare, 95))
    value = f"p95 {p95} ms, {ratio:.0f} x the bare call"
    return finish(NAME, value, target=f"p95 < {TARGET_MS} ms", met=p95 < TARGET_MS)


def _ms(values: list[float], percent: int) -> int:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000)


if __name__ == "__main__":
    sys.exit(main())
