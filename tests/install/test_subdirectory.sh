#!/usr/bin/env bash
# Takes muslin into another project by add_subdirectory: the project gets the library and its headers, and keeps its own
# flags; a file with a warning compiles.
#
#   test_subdirectory.sh SOURCE_FOLDER C_COMPILER [whole]   with `whole`, the library is built too, and a program run
set -u
source=$1 CC=$2 whole=${3:-}
export CC
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "FAILED: $*"
  tail -20 "$folder/said"
  exit 1
}

cmake -S "$source/tests/install/subdirectory" -B "$folder/build" -G Ninja -DMUSLIN="$source" >"$folder/said" 2>&1 ||
  fail "configuring a project around muslin"
cmake --build "$folder/build" --target part >"$folder/said" 2>&1 || fail "a file with a warning does not compile"
grep -q 'never_called.*\[-Wunused-function\]' "$folder/said" || fail "the warning is lost"
[ -n "$whole" ] || exit 0
cmake --build "$folder/build" --target whole >"$folder/said" 2>&1 || fail "building a project around muslin"
"$folder/build/whole" >"$folder/said" 2>&1 || fail "the program does not run"
