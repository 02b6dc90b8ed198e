#!/bin/sh
# Installs what the tests need into .venv, and a browser and curl where there are none. Running it again changes nothing.
set -eu
cd "$(dirname "$0")/.."
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[test]'

wanted=
command -v curl >/dev/null 2>&1 || wanted="curl ca-certificates"
browsers="chromium fonts-dejavu-core"
for browser in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$browser" >/dev/null 2>&1 && browsers=
done
[ -d "/Applications/Google Chrome.app" ] && browsers=
wanted="$wanted $browsers"
[ -n "${wanted# }" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
fetched() {
  command -v apt-get >/dev/null 2>&1 || return 1
  [ -z "$as_root" ] || command -v sudo >/dev/null 2>&1 || return 1
  $as_root apt-get update -qq &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >/dev/null
}
# Without them their tests fail and say so; every other test can still run.
fetched || echo "The tests need curl and Chrome or Chromium, and this script cannot install them here: install them." >&2
