"""A chat model behind HTTP for benchmarks: it answers at once, by a rule that it reads in the request.

`python benchmarks/_model_service.py SCRIPT` prints its address and serves until it is ended. The
scripts are functions of the request alone, so that a question asked again by another worker goes on
where the conversation stands.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

Script = Callable[[dict[str, Any]], AsyncIterator[dict[str, Any]]]
_BESIDE_TOKENS = 1000


async def deliveries(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Call tools for some rounds, as the question says ("… 3 rounds …"), then answer in words."""
    question = _last_question(request)
    rounds = int((re.search(r"(\d+) rounds", question) or ["", "2"])[1])
    done = sum(1 for each in request["messages"] if each.get("tool_calls"))
    chance = random.Random(f"{question} {done}")  # noqa: S311  a script, no secret
    if done < rounds and request.get("tools"):
        for index in range(chance.choice((1, 1, 2, 3))):
            name = chance.choice(("deliver", "deliver", "look_up"))
            call = {"name": name, "arguments": json.dumps({"parcel": f"{done}-{index}"})}
            identity = {"index": index, "id": f"call-{done}-{index}", "type": "function"}
            yield _choice({"tool_calls": [identity | {"function": call}]})
            await asyncio.sleep(chance.uniform(0, 0.05))
        yield _choice({}, "tool_calls")
        return
    for word in re.findall(r"\S+ ", "All parcels were handed over as you asked for . "):
        yield _choice({"content": word})
        await asyncio.sleep(chance.uniform(0.005, 0.05))
    yield _choice({}, "stop")


async def lingering(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Say the first word at once, then a word a second for as long as the question says.

    What is asked beside the answer (what the question means, what to ask next) is recognised by its
    small limit of output and answered in one piece.
    """
    most = request.get("max_completion_tokens") or request.get("max_tokens")
    if most is not None and most <= _BESIDE_TOKENS:
        yield _choice({"content": '{"rewrite_query": "", "intent": "kb_search"}'}, "stop")
        return
    seconds = int((re.search(r"(\d+) seconds", _last_question(request)) or ["", "0"])[1])
    yield _choice({"content": "First "})
    for number in range(seconds):
        await asyncio.sleep(1)
        yield _choice({"content": f"word {number} "})
    yield _choice({}, "stop")


SCRIPTS: dict[str, Script] = {"deliveries": deliveries, "lingering": lingering}


def start_model_service(script: str) -> tuple[subprocess.Popen[str], str]:
    """Start the service in a process of its own; return it and its base address."""
    process = subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, str(Path(__file__).resolve()), script], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def _last_question(request: dict[str, Any]) -> str:
    texts = [each["content"] for each in request["messages"] if each["role"] == "user"]
    return json.dumps(texts[-1]) if texts else ""


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


class _Service:
    def __init__(self, script: Script) -> None:
        self._script = script

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, until it is closed."""
        try:
            while request := await _read_request(reader):
                await self._answer(request, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked was killed, which is what some benchmarks are about
        finally:
            writer.close()

    async def _answer(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked"
        writer.write(f"{head}\r\n\r\n".encode())
        async for choice in self._script(request):
            await _send_chunk(writer, json.dumps(_envelope([choice])))
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        await _send_chunk(writer, json.dumps(_envelope([]) | {"usage": usage}))
        await _send_chunk(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _envelope(choices: list[dict[str, Any]]) -> dict[str, Any]:
    fixed = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    return fixed | {"choices": choices}


async def _read_request(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b"{}"
    found: dict[str, Any] = json.loads(body)
    return found


async def _send_chunk(writer: asyncio.StreamWriter, text: str) -> None:
    data = f"data: {text}\n\n".encode()
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _main(script: Script) -> None:
    server = await asyncio.start_server(_Service(script).serve, "127.0.0.1", 0, limit=2**24)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(SCRIPTS[sys.argv[1]]))
