#!/usr/bin/env bash
# Installs muslin into a scratch folder and builds programs outside the tree against it: found by find_package and by
# pkg-config, in C and in C++, with the shared and the static library. The shared library exports what the public headers
# declare, and nothing else. docs/installing.md is held to its word: its commands are run, and its lines for CMake used.
#
#   test_install.sh SOURCE_FOLDER BUILD_FOLDER VERSION C_COMPILER
set -u
source=$1 build=$2 version=$3 CC=$4
export CC CXX=${CXX:-c++}
unset CMAKE_C_COMPILER_LAUNCHER DESTDIR
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
checks=0 failures=0

failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  [ ! -s "$folder/said" ] || tail -20 "$folder/said" | sed 's/^/  /'
}

# succeeds WHAT COMMAND...
succeeds() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" >"$folder/said" 2>&1 </dev/null || failed "$what"
}

# greets LANGUAGE PROGRAM: the program runs, with the libraries where they were installed, and with ours.
greets() {
  succeeds "$2 fails" env LD_LIBRARY_PATH="$libraries" "$2"
  checks=$((checks + 1))
  grep -qx "muslin $version from $1" "$folder/said" || failed "$2 does not greet from $1"
}

# links_shared YES|NO PROGRAM: whether the program loads libmuslin when it starts.
links_shared() {
  checks=$((checks + 1))
  local answer=NO
  readelf -d "$2" | grep -q "NEEDED.*\[libmuslin\.so\.${version%.*}\]" && answer=YES
  [ $answer = "$1" ] || failed "$2 loads the shared library: $answer"
}

check_tree() {
  local file
  for file in include/muslin/muslin.h bin/muslin share/doc/muslin/{LICENSE,README.md,CHANGELOG.md,docs/scene.md}; do
    succeeds "$file is not installed" test -f "$prefix/$file"
  done
  succeeds "libmuslin.so.${version%.*} is not installed" test -f "$libraries/libmuslin.so.${version%.*}"
  succeeds "the installed program fails" "$prefix/bin/muslin" --version
  checks=$((checks + 1))
  # The sources' folder is nothing to those who have the installed tree.
  ! grep -rlF "$source" "$libraries/cmake" "$libraries/pkgconfig" || failed "the installed tree points into the sources"
}

check_symbols() {
  checks=$((checks + 1))
  nm -D --defined-only "$libraries/libmuslin.so" | awk '{ print $3 }' | sort >"$folder/exported"
  cat "$prefix"/include/muslin/*.h | tr '\n' ' ' | grep -oE 'MUS_API [^(;]*\(' | grep -oE 'mus_[a-z0-9_]+\($' |
    tr -d '(' | sort >"$folder/declared"
  diff "$folder/declared" "$folder/exported" >"$folder/said" || failed "what is exported (>) is not what is declared (<)"
}

check_find_package() {
  local language=$1 name=$2 at=$folder/find-$1 library
  succeeds "configuring with find_package for $name" cmake -S "$source/tests/install/outside" -B "$at" \
    -G Ninja -DLANGUAGE="$language" -DCMAKE_PREFIX_PATH="$prefix"
  succeeds "building with find_package for $name" cmake --build "$at"
  for library in muslin muslin_shared muslin_static; do
    greets "$name" "$at/with_$library"
  done
  links_shared YES "$at/with_muslin"
  links_shared NO "$at/with_muslin_static"
}

check_pkg_config() {
  local program=$source/tests/install/outside/program
  export PKG_CONFIG_PATH=$libraries/pkgconfig
  # shellcheck disable=SC2046
  succeeds "compiling with pkg-config for C" "$CC" -std=c17 "$program.c" -o "$folder/c" $(pkg-config --cflags --libs muslin)
  # shellcheck disable=SC2046
  succeeds "compiling with pkg-config for C++" "$CXX" "$program.cpp" -o "$folder/cpp" $(pkg-config --cflags --libs muslin)
  # The linker takes the shared library where both are there, unless it is told the file.
  # shellcheck disable=SC2046
  succeeds "linking the static library with pkg-config" "$CC" -std=c17 "$program.c" -o "$folder/static" \
    $(pkg-config --static --cflags --libs muslin | sed 's/-lmuslin/-l:libmuslin.a/')
  greets C "$folder/c"
  greets C++ "$folder/cpp"
  greets C "$folder/static"
  links_shared YES "$folder/c"
  links_shared NO "$folder/static"
  succeeds "pkg-config has another version" pkg-config --exact-version="$version" muslin
}

# block LANGUAGE: all blocks of the manual in that language, without those that make and install packages.
block() {
  awk -v language="$1" '/^```/ { on = $0 == "```" language; next } on && !/^(script\/|apt )/' "$source/docs/installing.md"
}

check_manual() {
  local at=$folder/manual
  mkdir -p "$at/home"
  ln -s "$build" "$at/build"
  cp "$source/tests/install/outside/program.c" "$at"
  block sh >"$at/commands"
  succeeds "the commands of docs/installing.md" env -C "$at" HOME="$at/home" bash -eu commands
  { echo 'cmake_minimum_required(VERSION 3.25)' && echo 'project(user LANGUAGES C)' &&
    echo 'add_executable(program program.c)' && block cmake; } >"$at/CMakeLists.txt"
  succeeds "the manual's lines for CMake" cmake -S "$at" -B "$at/made" -G Ninja -DCMAKE_PREFIX_PATH="$at/home/.local"
  succeeds "a program by the manual's lines" cmake --build "$at/made"
  greets C "$at/made/program"
}

succeeds "cmake --install" cmake --install "$build" --prefix "$prefix"
libraries=$(dirname "$(find "$prefix" -name libmuslin.a)")
check_tree
check_symbols
check_find_package C C
check_find_package CXX C++
check_pkg_config
check_manual
echo "$checks checks, $failures failures"
[ $failures -eq 0 ] && [ $checks -gt 30 ]
