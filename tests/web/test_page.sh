#!/usr/bin/env bash
# The page of muslin view in a browser without a window, drawn in software. Skipped where there is none.
#
#   test_page.sh MUSLIN SOURCE_FOLDER    MUSLIN_SHOTS=DIR keeps pictures of what is seen
set -u
muslin=$(realpath "$1") source=$(realpath "$2")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) &&
  command -v node >/dev/null && [ -d "$source/web/node_modules/playwright-core" ] || {
  echo "skipped: script/setup --web installs the browser and what drives it"
  exit 77
}
"$muslin" view --help | grep -q -- --host || {
  echo "skipped: this build has no viewer"
  exit 77
}
exec node "$source/tests/web/test_page.mjs" "$muslin" "$source" "$chromium"
