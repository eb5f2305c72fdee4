#!/usr/bin/env bash
# Holds the manual to its word: runs every `sh` block of docs/solver.md, and the README's block of muslin's commands, in a
# scratch folder, one after the other, compiles the `c` blocks of these and docs/api.md, and looks up the names of calls, types and build
# options.
#
#   test_manual.sh SOURCE_FOLDER BUILD_FOLDER COMPILER
#
# `build/...` in the manual is the build folder, and `muslin` the program in it.
set -u
source=$1 build=$2 compiler=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
checks=0 failures=0

failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# blocks LANGUAGE FILE: writes each fenced block of that language to a file of its own, named after its first line.
blocks() {
  awk -v language="$1" -v prefix="$folder/$1" \
    'on && /^```/ { on = 0; close(file) }
     on { print > file }
     $0 == "```" language { on = 1; file = sprintf("%s.%04d", prefix, NR + 1) }' "$2"
}

run_commands() {
  mkdir "$folder/scratch" && ln -s "$build" "$folder/scratch/build"
  for page in README.md docs/solver.md; do
    rm -f "$folder"/sh.*
    blocks sh "$source/$page"
    for block in "$folder"/sh.*; do
      grep -q '^script/' "$block" && continue # sets a machine up, and runs this test
      checks=$((checks + 1))
      (cd "$folder/scratch" && PATH=$build:$PATH timeout 1200 bash -eu "$block") >"$folder/out" 2>&1 </dev/null ||
        { failed "$page, the commands at line ${block##*.}" && tail -20 "$folder/out"; }
    done
  done
}

# The blocks are functions; what they use is declared by muslin.h and stdio.h.
compile_code() {
  for page in README.md docs/solver.md docs/api.md; do
    rm -f "$folder"/c.*
    blocks c "$source/$page"
    for block in "$folder"/c.*; do
      checks=$((checks + 1))
      { printf '#include <muslin/muslin.h>\n#include <stdio.h>\n' && cat "$block"; } |
        "$compiler" -std=c17 -Wall -Wextra -Werror -fsyntax-only -I"$source/include" -x c - 2>"$folder/out" ||
        { failed "$page, the code at line ${block##*.}" && cat "$folder/out"; }
    done
  done
}

# Everything that looks like a name of the library's or an option of the build.
look_up_names() {
  cat "$source"/README.md "$source"/docs/solver.md "$source"/docs/api.md "$source"/docs/dependencies.md >"$folder/text"
  while read -r name; do
    checks=$((checks + 1))
    grep -rqw -- "$name" "$source/include" || failed "$name is named, but no public header has it"
  done < <(grep -oE '\b(mus|MUS)_[A-Za-z_]+' "$folder/text" | sort -u)
  while read -r name; do
    checks=$((checks + 1))
    grep -qE "^(option|set)\(${name#-D} " "$source/CMakeLists.txt" || failed "$name is no option of the build"
  done < <(grep -oE -- '-DMUSLIN_[A-Z]+' "$folder/text" | sort -u)
}

run_commands
compile_code
look_up_names
echo "$checks checks, $failures failures"
[ $failures -eq 0 ] && [ $checks -gt 20 ]
