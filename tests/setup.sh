#!/bin/sh
# Installs what the tests need into .venv, and curl and a browser that suits them best. Running it again changes nothing.
set -eu
cd "$(dirname "$0")/.."
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[test]'

found() {
  for one in "$@"; do command -v "$one" >/dev/null 2>&1 && return; done
  return 1
}
has_browser() {
  found "$shell" chromium chromium-browser google-chrome google-chrome-stable || [ -d "/Applications/Google Chrome.app" ]
}
fetched() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Chromium without windows, a page of which costs half as much of a core: better than a browser, where a system has it.
shell=chromium-headless-shell
found curl && found "$shell" && exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
# Who has all that is needed is asked for no password.
if found apt-get && { [ -z "$as_root" ] || { found sudo && ! { found curl && has_browser; }; }; }; then
  $as_root apt-get update -qq || true
  found curl || fetched curl ca-certificates || true
  found "$shell" || fetched "$shell" fonts-dejavu-core 2>/dev/null || has_browser || fetched chromium fonts-dejavu-core || true
fi
# Without them their tests fail and say so; every other test can still run.
found curl && has_browser && exit 0
echo "The tests need curl and Chrome or Chromium, and this script cannot install them here: install them." >&2
