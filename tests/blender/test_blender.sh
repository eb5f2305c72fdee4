#!/usr/bin/env bash
# Blender loads the OBJ with the PC2 and with the MDD file of a run by its Mesh Cache modifier and shows the positions that
# were simulated. Exits 77 (skipped) where there is no Blender.
#
#   test_blender.sh MUSLIN
set -eu
if ! command -v blender >/dev/null; then
  echo "skipped: no blender here (script/test-blender installs it)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" run flag --vertices 441 --frames 6 --format pc2,mdd,obj -o "$folder/run" >/dev/null 2>&1
# Its own settings and start-up file must not matter, nor be touched.
export BLENDER_USER_CONFIG=$folder/config BLENDER_USER_SCRIPTS=$folder/scripts
blender -b --factory-startup --python-exit-code 1 --python "$(dirname "$0")/compare.py" -- "$folder/run" >"$folder/log" 2>&1 ||
  { cat "$folder/log" && exit 1; }
grep -E '^(flag|Blender .* agrees)' "$folder/log"
grep -q '^Blender .* agrees$' "$folder/log"
