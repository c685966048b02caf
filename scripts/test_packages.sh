#!/bin/sh
# Installs what browser and sandbox tests need from Debian, when that is allowed; else says what
# to run and which tests are skipped meanwhile. Never fails: the tests that can run should run.
set -eu

# axe-core, which the accessibility tests run inside of the page; they are skipped without it.
if [ ! -e node_modules/axe-core/axe.min.js ]; then
    if command -v npm >/dev/null 2>&1; then
        npm ci --ignore-scripts --silent --no-audit --no-fund </dev/null >/dev/null 2>&1 \
            || echo "test: npm ci did not work: the accessibility tests are skipped"
    else
        echo "test: there is no npm here: the accessibility tests are skipped"
    fi
fi

missing=""
[ -x /usr/bin/chromium ] || missing="$missing chromium"
[ -e /usr/share/fonts/truetype/wqy/wqy-zenhei.ttc ] || missing="$missing fonts-wqy-zenhei"
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v dockerd >/dev/null 2>&1 || missing="$missing docker.io iptables"
command -v nginx >/dev/null 2>&1 || missing="$missing nginx-light"
[ -n "$missing" ] || exit 0

tell() {
    echo "test: $1"
    echo "test:   as root: apt-get install --no-install-recommends$missing"
    echo "test: until then these are skipped: browser tests (chromium, fonts-wqy-zenhei), sandbox tests (bubblewrap, docker.io), the proxy (nginx-light)"
}

if [ "$(id -u)" -ne 0 ]; then
    tell "some tests need packages of the system, and this user may not install them."
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    tell "some tests need packages of the system, and there is no apt-get here."
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
echo "test: installing$missing"
install="apt-get install --yes --quiet --no-install-recommends"
# The lists may be old or missing: try as it is, then with new ones.
# shellcheck disable=SC2086
if ! $install $missing >/dev/null 2>&1 </dev/null; then
    apt-get update --quiet >/dev/null 2>&1 </dev/null || true
    # shellcheck disable=SC2086
    $install $missing >/dev/null </dev/null || tell "apt-get could not install them."
fi
