#!/bin/sh
# Prepares the sandbox in which agents run code: says how to get what is missing, and installs the
# packages of its Python (193 MB on disk) beside the data, for /usr/bin/python3: the sandbox shows
# /usr and this directory, nothing else of the host. Does nothing when all is there; where it cannot
# be done, it says why and goes on.
set -eu
cd "$(dirname "$0")/.."

target="${WEKNORA_SANDBOX_PYTHON_DIR:-var/sandbox-python}"
python=/usr/bin/python3
stamp="$target/.installed"
umask 022

tell() {
    echo "sandbox: $1"
    echo "sandbox: until then its Python has no numpy, pandas, matplotlib and openpyxl"
}

if [ "$(uname -s)" != Linux ]; then
    echo "sandbox: bubblewrap needs Linux: agents run no code here until Docker is configured (docs/settings.md)"
    exit 0
fi
if ! command -v bwrap >/dev/null 2>&1; then
    echo "sandbox: bubblewrap is not installed: agents run no code until it is, or Docker is configured"
    echo "sandbox:   as root: apt-get install --no-install-recommends bubblewrap"
fi
if [ ! -x "$python" ]; then
    tell "there is no $python: on Debian and Ubuntu run apt-get install python3"
    exit 0
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    tell "$python is older than 3.11, which these packages need"
    exit 0
fi
state="$(
    {
        cat requirements-sandbox.txt
        "$python" -c 'import sys, sysconfig; print(sys.version, sysconfig.get_platform())'
    } | cksum
)"
[ "$(cat "$stamp" 2>/dev/null)" = "$state" ] && exit 0

echo "sandbox: installing requirements-sandbox.txt"
mkdir -p "$(dirname "$target")"
new="$target.new"
rm -rf "$new"
if [ -x .venv/bin/uv ]; then
    set -- .venv/bin/uv pip install --quiet --python "$python"
else
    # pip of our own Python cannot choose another's wheels for its exact version without this.
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    set -- .venv/bin/python -m pip install --quiet --disable-pip-version-check --python-version "$version"
fi
if ! "$@" --target "$new" --only-binary :all: --no-deps -r requirements-sandbox.txt; then
    rm -rf "$new"
    tell "the packages cannot be installed"
    exit 0
fi
# The packages' own tests: 30 MB that nobody runs.
find "$new" -type d -name tests -path "*/*/tests" -prune -exec rm -rf {} +
# The list of fonts takes seconds to make: each workspace gets a copy of this one.
MPLCONFIGDIR="$new/matplotlib-cache" PYTHONPATH="$new" "$python" -B -c 'import matplotlib.font_manager' ||
    echo "sandbox: matplotlib does not start; is a library of the system missing?"
"$python" -m compileall -q "$new" >/dev/null 2>&1 || true
chmod -R a+rX "$new"
echo "$state" >"$new/.installed"
rm -rf "$target"
mv "$new" "$target"
