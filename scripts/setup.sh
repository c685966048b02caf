#!/bin/sh
# Makes .venv with the pinned packages; does nothing when it is up to date.
# Usage: scripts/setup.sh run|dev
set -eu
cd "$(dirname "$0")/.."
here="$(pwd -P)"

level="${1:-dev}"
uv_pin="uv==0.13.9"
python="${PYTHON:-python3}"
stamp=.venv/.installed

fail() {
    echo "setup: $1" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "there is no $python on PATH: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3 …"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version 2>&1) is too old: 3.11 or newer is needed; name one: make PYTHON=/path/to/python3 …"

case "$level" in
run) requirements=requirements.txt ;;
dev) requirements=requirements-dev.txt ;;
*) fail "unknown level $level: run or dev" ;;
esac

# What would change the result; `dev` has all that `run` has.
state="$(
    {
        cat requirements.txt constraints.txt
        "$python" -c 'import sys; print(sys.version, sys.platform)'
        echo "$here"
    } | cksum
)"
dev_state="$(cksum <requirements-dev.txt)"

# A folder that was moved or copied has scripts that name the old place.
if [ "$(.venv/bin/python -c 'import sys; print(sys.prefix)' 2>/dev/null)" = "$here/.venv" ] &&
    head -n 3 .venv/bin/pip 2>/dev/null | grep -q "$here/.venv/"; then
    if [ "$(sed -n 1p "$stamp" 2>/dev/null)" = "$state" ]; then
        [ "$level" = run ] && exit 0
        [ "$(sed -n 2p "$stamp")" = "$dev_state" ] && exit 0
    fi
else
    rm -rf .venv
fi

if [ ! -d .venv ]; then
    echo "setup: making .venv with $("$python" --version 2>&1)"
    "$python" -m venv .venv ||
        fail "the venv module is missing: on Debian and Ubuntu run apt-get install python3-venv"
fi
rm -f "$stamp"
pip=".venv/bin/python -m pip --disable-pip-version-check --quiet"
if ! .venv/bin/uv --version 2>/dev/null | grep -q "${uv_pin#uv==}"; then
    $pip install "$uv_pin" || echo "setup: $uv_pin cannot be had; pip takes its place, slowly" >&2
fi
echo "setup: installing $requirements"
if [ -x .venv/bin/uv ]; then
    VIRTUAL_ENV="$here/.venv" .venv/bin/uv pip install --quiet -r "$requirements" -c constraints.txt
else
    $pip install -r "$requirements" -c constraints.txt
fi
{
    echo "$state"
    if [ "$level" = dev ]; then echo "$dev_state"; else echo -; fi
} >"$stamp"
