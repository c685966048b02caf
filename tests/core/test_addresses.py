"""The address policy: every spelling of an inner address is seen through."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given, strategies as st

from core.addresses import (
    BLOCKED_PORTS,
    AddressRefused,
    AllowList,
    check_address,
    check_url,
    embedded,
    is_inner,
    parse_allow_list,
    parse_number,
    read_target,
)

NOTHING = AllowList()
INNER_V4 = [
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "172.17.0.1", "172.20.9.9", "192.168.1.1", "0.0.0.0"),
    *("169.254.1.1", "100.64.0.1", "198.18.0.1", "192.0.2.1", "198.51.100.7", "203.0.113.9"),
    *("240.0.0.1", "255.255.255.255", "224.0.0.1", "192.0.0.8"),
]


def is_refused(url: str, allow: AllowList = NOTHING) -> bool:
    try:
        check_url(url, allow=allow)
    except AddressRefused:
        return True
    return False


@pytest.mark.parametrize("number", INNER_V4)
@pytest.mark.parametrize(
    "form",
    ["{}", "[::ffff:{}]", "[::{}]", "[64:ff9b::{}]"],
    ids=["v4", "mapped", "compat", "nat64"],
)
def test_inner_numbers_are_refused_in_every_wrapping(number: str, form: str) -> None:
    assert is_refused(f"http://{form.format(number)}/")


@pytest.mark.parametrize(
    "url",
    [
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://[::1]/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fc00::1]/",
        "http://[fec0::1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:db8::1]/",
        "http://[ff02::1]/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://db/",
        "http://printer.local/",
        "http://a.b.internal/",
        "http://x.svc.cluster.local/",
        "http://metadata.google.internal/",
        "http://host.docker.internal/",
        "http://1.2.3.4.5/",
        "http://999.1.1.1/",
        "http://0x/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "http://user:pw@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://exa mple.com/",
        "http://example.com\t/",
        "http:///",
        "http://",
        "//example.com",
        "example.com",
        "http://-bad-.example/",
        f"http://example.com/{'a' * 2048}",
    ],
)
def test_what_is_no_public_web_address_is_refused(url: str) -> None:
    assert is_refused(url)


@pytest.mark.parametrize("port", sorted(BLOCKED_PORTS))
def test_ports_of_other_services_are_refused_also_when_the_host_is_opened(port: int) -> None:
    allow = parse_allow_list(["ollama.lan", "10.0.0.0/8"])
    assert is_refused(f"http://example.com:{port}/")
    assert is_refused(f"http://ollama.lan:{port}/", allow)
    assert is_refused(f"http://10.0.0.1:{port}/", allow)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://example.com:8080/x?y=1#z",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://bücher.example/",
        "https://internal.example.com/",
        "https://local.example/",
    ],
)
def test_public_addresses_pass(url: str) -> None:
    assert not is_refused(url)


def test_the_message_names_the_setting() -> None:
    with pytest.raises(AddressRefused, match=r"WEKNORA_SSRF_ALLOW=ollama\.lan"):
        check_url("http://ollama.lan:11434/v1", allow=NOTHING)


@pytest.mark.parametrize(
    ("entry", "opened", "closed"),
    [
        ("ollama.lan", "http://ollama.lan:11434/", "http://a.ollama.lan/"),
        ("*.corp", "http://llm.corp/", "http://corp/"),
        ("10.1.2.3", "http://10.1.2.3:8000/", "http://10.1.2.4/"),
        ("10.1.0.0/16", "http://0x0a010203/", "http://10.2.0.1/"),
        ("[::1]", "http://[::1]:11434/", "http://[::2]/"),
        ("fd00::/8", "http://[fd12::1]/", "http://[fe80::1]/"),
    ],
)
def test_an_operator_opens_what_they_name_and_no_more(entry: str, opened: str, closed: str) -> None:
    allow = parse_allow_list([entry])
    assert not is_refused(opened, allow)
    assert is_refused(closed, allow)


@pytest.mark.parametrize(
    "entry",
    ["", "*", "*.", "10.0.0.0/33", "10.0.0.1/8", "a b", "http://x", "999.1.1.1", "-x", "a..b"],
)
def test_a_malformed_entry_is_rejected(entry: str) -> None:
    with pytest.raises(ValueError, match="WEKNORA_SSRF_ALLOW"):
        parse_allow_list([entry])


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/"],
)
def test_the_machine_s_own_credentials_are_opened_by_nothing(url: str) -> None:
    allow = parse_allow_list(["169.254.0.0/16", "::/0", "fd00::/8", "0.0.0.0/0"])
    assert is_refused(url, allow)


def test_a_named_origin_is_open_at_its_port_alone() -> None:
    allow = NOTHING.with_origins([("127.0.0.1", 11434)])
    assert not is_refused("http://127.0.0.1:11434/v1", allow)
    assert is_refused("http://127.0.0.1:11435/v1", allow)


@given(st.integers(min_value=0, max_value=2**32 - 1), st.data())
def test_every_spelling_of_a_number_is_read_as_the_number(value: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(min_value=1, max_value=4))
    rest = value & (256 ** (5 - count) - 1)
    numbers = [(value >> (8 * (3 - place))) & 255 for place in range(count - 1)] + [rest]
    write = data.draw(st.lists(st.sampled_from(["d", "o", "x"]), min_size=count, max_size=count))
    forms = {"d": "{:d}", "o": "0{:o}", "x": "0x{:X}"}
    spelled = ".".join(forms[how].format(each) for how, each in zip(write, numbers, strict=True))
    assert parse_number(spelled) == IPv4Address(value)
    # Spellings that the client cannot read are refused too, whatever they stand for.
    assert is_refused(f"http://{spelled}/") or not is_inner(IPv4Address(value))
    assert is_refused(f"http://{IPv4Address(value)}/") == is_inner(IPv4Address(value))


@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_an_inner_number_stays_inner_inside_of_ipv6(value: int) -> None:
    four = IPv4Address(value)
    six_to_four = IPv6Address((0x2002 << 112) | (value << 80))
    mapped = IPv6Address((0xFFFF << 32) | value)
    assert four in embedded(six_to_four)
    assert four in embedded(mapped)
    if is_inner(four):
        for six in (six_to_four, mapped):
            with pytest.raises(AddressRefused):
                check_address(six, allow=NOTHING)


@given(st.text(max_size=60))
def test_any_text_is_judged_without_another_error(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/x", f"https://a.example/{text}"):
        try:
            target = read_target(url)
        except AddressRefused:
            continue
        assert target.scheme in ("http", "https")
        assert target.host


@given(st.from_regex(r"[a-z0-9.:\[\]%x-]{1,30}", fullmatch=True))
def test_a_host_that_passes_is_no_inner_number(host: str) -> None:
    if is_refused(f"http://{host}/"):
        return
    target = read_target(f"http://{host}/")
    assert target.address is None or not is_inner(target.address)
