"""The local server over its real socket: keys, shapes, limits, and its end."""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import openai
import pytest

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.ports import free_port
from providers.local.server import main
from tests.providers.local_server import LocalServer, models_data_dir, running_server

MODEL = "multilingual-e5-small"
SEARCH = {"type": "function", "function": {"name": "knowledge_search", "parameters": {}}}


@pytest.fixture
def client(local_server: LocalServer) -> Iterator[httpx.Client]:
    with local_server.client() as client:
        yield client


def vector_of(client: httpx.Client, body: dict[str, Any]) -> list[float]:
    answer = client.post("embeddings", json=body)
    assert answer.status_code == 200, answer.text
    vector: list[float] = answer.json()["data"][0]["embedding"]
    return vector


def test_the_openai_client_gets_vectors(local_server: LocalServer) -> None:
    with openai.OpenAI(base_url=local_server.url, api_key=local_server.key) as client:
        answer = client.embeddings.create(model=MODEL, input=["hello", "知识库", ""])
    assert [len(entry.embedding) for entry in answer.data] == [384] * 3
    assert answer.usage.prompt_tokens > 6
    assert answer.model.startswith("multilingual-e5-small/")


def test_float_and_base64_carry_the_same_numbers(client: httpx.Client) -> None:
    body = {"model": MODEL, "input": "hello"}
    packed: Any = vector_of(client, {**body, "encoding_format": "base64"})
    unpacked = np.frombuffer(base64.b64decode(packed), "<f4")
    assert np.allclose(unpacked, vector_of(client, body), atol=1e-6)


def test_query_is_said_by_input_type_or_by_the_models_name(client: httpx.Client) -> None:
    by_type = vector_of(client, {"model": MODEL, "input": "a", "input_type": "query"})
    by_name = vector_of(client, {"model": f"{MODEL}-query", "input": "a"})
    as_passage = vector_of(client, {"model": MODEL, "input": "a"})
    assert np.allclose(by_type, by_name, atol=1e-6)
    assert not np.allclose(by_type, as_passage, atol=1e-3)


def test_rerank_returns_the_best_first_and_no_more_than_asked(client: httpx.Client) -> None:
    body = {
        "model": "e5-maxsim",
        "query": "Which animal purrs?",
        "documents": ["The price of oil rose.", {"text": "A cat purrs when it is content."}, "x"],
        "top_n": 2,
        "return_documents": True,
    }
    results = client.post("rerank", json=body).json()["results"]
    assert len(results) == 2
    assert results[0]["index"] == 1
    assert results[0]["document"] == {"text": "A cat purrs when it is content."}
    assert 1 >= results[0]["relevance_score"] > results[1]["relevance_score"]


def test_a_whole_and_a_streamed_completion_say_the_same(local_server: LocalServer) -> None:
    passage = '<passage id="c1" document="d1" name="a">\nThe cat purrs at night.\n</passage>'
    messages: Any = [{"role": "user", "content": f"When does the cat purr?\n\n{passage}"}]
    with openai.OpenAI(base_url=local_server.url, api_key=local_server.key) as client:
        whole = client.chat.completions.create(model="extractive", messages=messages)
        stream = client.chat.completions.create(
            model="extractive",
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content == "The cat purrs at night. [c1]"
    assert chunks[-1].usage == whole.usage
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"


def test_a_tool_call_is_native_in_both_forms(local_server: LocalServer) -> None:
    messages: Any = [{"role": "user", "content": "When does the cat purr?"}]
    tools: Any = [SEARCH]
    with openai.OpenAI(base_url=local_server.url, api_key=local_server.key) as client:
        whole = client.chat.completions.create(
            model="extractive", messages=messages, tools=tools
        ).choices[0]
    assert whole.finish_reason == "tool_calls"
    (call,) = whole.message.tool_calls or []
    assert call.type == "function"
    assert json.loads(call.function.arguments) == {"queries": ["When does the cat purr?"]}


def test_tool_choice_none_calls_no_tool(client: httpx.Client) -> None:
    body = {
        "model": "extractive",
        "messages": [{"role": "user", "content": "Hello?"}],
        "tools": [SEARCH],
        "tool_choice": "none",
    }
    message = client.post("chat/completions", json=body).json()["choices"][0]["message"]
    assert "tool_calls" not in message
    assert "given none" in message["content"]


@pytest.mark.parametrize("key", ["x", "wrong", "key-of-the-test-rum"])
def test_without_the_key_nothing_is_served(local_server: LocalServer, key: str) -> None:
    with local_server.client(key=key) as client:
        answer = client.get("models")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_api_key"


def test_health_needs_no_key_and_says_nothing_secret(local_server: LocalServer) -> None:
    answer = httpx.get(local_server.url.replace("/v1", "/health"), trust_env=False)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("embeddings", {"model": "x", "input": "a"}, 404, "there is: multilingual-e5-small"),
        ("embeddings", {"model": MODEL}, 400, "input must be a text"),
        ("embeddings", {"model": MODEL, "input": []}, 400, "at least one"),
        ("embeddings", {"model": MODEL, "input": [1, 2]}, 400, "token ids"),
        ("embeddings", {"model": MODEL, "input": ["a"] * 513}, 400, "512 is the most"),
        ("embeddings", {"model": MODEL, "input": "a", "input_type": "x"}, 400, "neither query"),
        ("embeddings", {"model": MODEL, "input": "a", "encoding_format": "x"}, 400, "base64"),
        ("rerank", {"model": "e5-maxsim", "query": "a", "documents": []}, 400, "at least one"),
        ("rerank", {"model": "e5-maxsim", "query": "", "documents": ["a"]}, 400, "query"),
        (
            "rerank",
            {"model": "e5-maxsim", "query": "a", "documents": ["a"], "top_n": 0},
            400,
            "top_n",
        ),
        ("chat/completions", {"model": "extractive", "messages": []}, 400, "at least one message"),
        ("chat/completions", {"model": "gpt-4", "messages": [{"role": "user"}]}, 404, "extractive"),
        ("chat/completions", {"model": "extractive", "messages": ["x"]}, 400, "needs a role"),
        ("completions", {}, 404, "nothing is served"),
        ("embeddings", ["a"], 400, "JSON object"),
    ],
)
def test_bad_requests_say_what_is_wrong(
    client: httpx.Client, path: str, body: Any, status: int, words: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]


def test_no_json_and_no_length_are_refused(local_server: LocalServer) -> None:
    with local_server.client() as client:
        assert client.post("embeddings", content=b"{oops").status_code == 400
        assert client.post("embeddings", content=iter([b"{}"])).status_code == 411


def test_a_huge_request_is_refused_before_it_is_read(local_server: LocalServer) -> None:
    host, port = httpx.URL(local_server.url).host, httpx.URL(local_server.url).port
    with socket.create_connection((host, port or 80), timeout=10) as connection:
        head = (
            f"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {local_server.key}"
        )
        connection.sendall(f"{head}\r\nContent-Length: 99999999999\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_caller_that_hangs_up_does_not_hold_the_model(local_server: LocalServer) -> None:
    body = {"model": MODEL, "input": ["long text " * 200] * 400}
    with local_server.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("embeddings", json=body, timeout=0.5)
    with local_server.client() as client:
        passages = {"model": MODEL, "input": ["a passage"], "input_type": "passage"}
        assert client.post("embeddings", json=passages, timeout=10).status_code == 200


def test_a_query_does_not_wait_for_a_batch(local_server: LocalServer) -> None:
    body = json.dumps({"model": MODEL, "input": ["long text " * 200] * 400}).encode()
    url = httpx.URL(local_server.url)
    with (
        socket.create_connection((url.host, url.port or 80)) as batch,
        local_server.client() as client,
    ):
        head = (
            f"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {local_server.key}"
        )
        batch.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        query = {"model": MODEL, "input": "a question", "input_type": "query"}
        assert client.post("embeddings", json=query, timeout=10).status_code == 200
        batch.settimeout(0)
        with pytest.raises(BlockingIOError):
            batch.recv(1)


def test_too_many_connections_are_told_to_come_back(local_server: LocalServer) -> None:
    url = httpx.URL(local_server.url)
    address = (url.host, url.port or 80)
    held = [socket.create_connection(address, timeout=10) for _ in range(70)]
    try:
        held[-1].settimeout(10)
        assert held[-1].recv(200).startswith(b"HTTP/1.1 503")
    finally:
        for connection in held:
            connection.close()


def test_sigterm_ends_it_cleanly_and_frees_the_port() -> None:
    with running_server(models_data_dir()) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=10) == 0
        port = httpx.URL(server.url).port or 0
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))


def test_it_ends_with_the_process_that_started_it() -> None:
    starter = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'providers.local.server', '--port',"
        " sys.argv[1], '--data-dir', sys.argv[2], '--die-with-parent'], stderr=subprocess.PIPE)\n"
        "p.stderr.readline()\n"
        "print(p.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", starter, str(free_port()), str(models_data_dir())]
    environment = {**os.environ, "WEKNORA_LOCAL_MODELS_KEY": "k"}
    with subprocess.Popen(
        command,
        cwd=REPOSITORY_DIR,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        server = os.pidfd_open(pid)
        parent.kill()
        assert select.select([server], [], [], 10)[0]
        os.close(server)


def test_a_taken_port_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEKNORA_LOCAL_MODELS_KEY", "k")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "providers.local.server", "--port", str(port)]
        command += ["--data-dir", "/nowhere"]
        done = subprocess.run(command, cwd=REPOSITORY_DIR, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in done.stderr


def test_only_loopback_and_only_with_a_key(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(SystemExit):
        main(["--host", "0.0.0.0", "--data-dir", "x"])
    assert "not a loopback address" in capsys.readouterr().err
    monkeypatch.delenv("WEKNORA_LOCAL_MODELS_KEY", raising=False)
    assert main(["--data-dir", "x"]) == 1
    assert "never open to everybody" in caplog.text
