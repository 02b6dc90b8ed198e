#!/bin/sh
# Installs what the tests need into .venv, and a browser where there is none.
set -eu
cd "$(dirname "$0")/.."
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[test]'
for browser in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$browser" >/dev/null 2>&1 && exit 0
done
[ -d "/Applications/Google Chrome.app" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  DEBIAN_FRONTEND=noninteractive apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
elif command -v apt-get >/dev/null 2>&1 && command -v sudo >/dev/null 2>&1; then
  sudo apt-get update -qq
  sudo DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
else
  echo "The browser tests need Chrome or Chromium, and this script cannot install one here: install either." >&2
fi
