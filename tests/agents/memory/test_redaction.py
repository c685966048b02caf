"""Secrets never get into a memory; harmless numbers stay."""

from __future__ import annotations

import pytest

from agents.memory.redaction import PLACEHOLDER, redact
from agents.memory.texts import contains, hash_of, key_of, one_line, overlap, terms_of


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The key of the staging service is sk-proj-abcdEFGH1234567890xyz, use it", "sk-proj"),
        ("My deploy user has AKIAABCDEFGHIJKLMNOP as its id for the bucket", "AKIA"),
        ("the build token for releases is kept as ghp_abcdefghijklmnopqrstuvwx0123", "ghp_"),
        ("for the test server of our team my password: Tr0ub4dor&3 is set", "Tr0ub4dor"),
        ("我们测试服务器的登录账号是管理员，密码是hunter22，请不要外传给别人", "hunter22"),
        ("팀 서버에 로그인할 때 쓰는 비밀번호는 qwer1234! 이고 계정은 관리자", "qwer1234"),
        (
            "my identity number in the personnel file of the company is 11010519491231002X",
            "1101051949",
        ),
        ("the company card that I pay my travel with is 4111 1111 1111 1111 since May", "4111"),
        (
            "for urgent things about the plant in Hefei call me at 13812345678 any time",
            "13812345678",
        ),
        ("session of the long-running export that I work with " + "aB3" * 15, "aB3aB3"),
    ],
)
def test_secrets_are_covered(text: str, secret: str) -> None:
    found = redact(text)
    assert secret not in found.text
    assert PLACEHOLDER in found.text


def test_a_private_key_is_covered_as_a_whole() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----"
    found = redact(f"Our server key: {key}")
    assert "MIIE" not in found.text
    assert found.is_mostly_redacted


@pytest.mark.parametrize(
    "text",
    [
        "The budget of 2027 is 1234567890123456 won",
        "Order RO-2022110312 was shipped on 2026-11-30",
        "I forgot my password again",
        "Donaudampfschifffahrtsgesellschaftskapitaenswitwe is a long word",
        "The token ring network is old",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert redact(text).text == text


def test_what_is_mostly_secret_is_not_worth_keeping() -> None:
    assert redact("sk-abcdefghijklmnop1234").is_mostly_redacted
    assert not redact("I work in the finance team").is_mostly_redacted


def test_texts_are_compared_without_case_and_order() -> None:
    assert hash_of("Green tea, please") == hash_of("please: GREEN tea")
    assert hash_of("green tea") != hash_of("black tea")
    assert key_of("  Time-Zone! ") == "time zone"
    assert contains(terms_of("I like green tea very much"), terms_of("green tea"))
    assert overlap(terms_of("green tea"), terms_of("green tea")) == 1
    assert one_line("a\nb\x00c") == "a b c"
