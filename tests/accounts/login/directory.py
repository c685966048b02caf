"""A real OpenLDAP server on loopback, with TLS, for one test run."""

from __future__ import annotations

import datetime as dt
import shutil
import socket
import subprocess
import time
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/lib/openldap:/usr/libexec:/usr/local/libexec")
BASE = "dc=example,dc=org"
SEARCHER = f"cn=searcher,{BASE}"
SEARCHER_PASSWORD = "of-the-searcher"
PASSWORD = "of-the-directory-42"
PEOPLE = f"ou=people,{BASE}"
GROUPS = f"ou=groups,{BASE}"

_CONFIG = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile {folder}/ca.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
pidfile {folder}/slapd.pid
argsfile {folder}/slapd.args
security simple_bind=128
database mdb
suffix "{base}"
rootdn "cn=root,{base}"
directory {folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{searcher}" read by * none
"""

_ENTRIES = """
dn: {base}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: {searcher}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: searcher
userPassword: {searcher_password}

dn: {people}
objectClass: organizationalUnit
ou: people

dn: {groups}
objectClass: organizationalUnit
ou: groups
"""

_PERSON = """
dn: uid={uid},{people}
objectClass: inetOrgPerson
uid: {uid}
cn: {name}
sn: {name}
{mail}userPassword: {password}
"""

_GROUP = """
dn: cn={name},{groups}
objectClass: groupOfNames
cn: {name}
member: uid={uid},{people}
"""


class Directory:
    """Neo (an editor), Trinity (in no group), Smith (without an address)."""

    def __init__(self, folder: Path) -> None:
        assert SLAPD
        folder.joinpath("data").mkdir()
        _write_certificates(folder)
        self.ca_file = folder / "ca.pem"
        names = {"folder": folder, "base": BASE, "searcher": SEARCHER}
        config = folder / "slapd.conf"
        config.write_text(_CONFIG.format(**names).lstrip())
        entries = folder / "entries.ldif"
        entries.write_text(_entries())
        load = [SLAPD, "-T", "add", "-f", str(config), "-l", str(entries)]
        subprocess.run(load, check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"ldap://127.0.0.1:{self.port}"
        serve = [SLAPD, "-d", "0", "-f", str(config), "-h", self.url]
        self._process = subprocess.Popen(serve, stderr=subprocess.DEVNULL)
        self._wait()

    def close(self) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait(10)

    def _wait(self) -> None:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError("slapd did not start")


def _entries() -> str:
    filled = _ENTRIES.format(
        base=BASE,
        searcher=SEARCHER,
        searcher_password=SEARCHER_PASSWORD,
        people=PEOPLE,
        groups=GROUPS,
    ).lstrip()
    for uid, mail in (
        ("neo", "Neo@example.org"),
        ("trinity", "trinity@example.org"),
        ("smith", ""),
    ):
        line = f"mail: {mail}\n" if mail else ""
        filled += _PERSON.format(
            uid=uid, people=PEOPLE, name=uid.title(), mail=line, password=PASSWORD
        )
    return filled + _GROUP.format(name="Wiki Editors", groups=GROUPS, uid="neo", people=PEOPLE)


def _write_certificates(folder: Path) -> None:
    """Write a certificate authority and a certificate of 127.0.0.1 that it signed."""
    authority_key, server_key = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    authority = _certificate("Test authority", authority_key, authority_key, "Test authority")
    server = _certificate("127.0.0.1", server_key, authority_key, "Test authority")
    pem = serialization.Encoding.PEM
    folder.joinpath("ca.pem").write_bytes(authority.public_bytes(pem))
    folder.joinpath("server.pem").write_bytes(server.public_bytes(pem))
    folder.joinpath("server.key").write_bytes(
        server_key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def _certificate(
    name: str, key: rsa.RSAPrivateKey, signer: rsa.RSAPrivateKey, issuer: str
) -> x509.Certificate:
    now = dt.datetime.now(dt.UTC)
    subject, by = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (name, issuer)
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
    )
    if name != issuer:
        address = x509.IPAddress(ip_address("127.0.0.1"))
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    return builder.sign(signer, hashes.SHA256())
