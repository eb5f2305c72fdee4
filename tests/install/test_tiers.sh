#!/usr/bin/env bash
# script/test and .ci/run count what CTest says, skip what was skipped, and fail where anything did. CTest and the build are
# played by stand-ins.
#
#   test_tiers.sh SOURCE_FOLDER
set -u
source=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

mkdir -p "$folder"/{bin,script,.ci,tests/install}
cp "$source"/script/{test,progress} "$folder/script"
cp "$source/.ci/run" "$folder/.ci"
for name in script/setup script/build bin/clang bin/setarch; do
  printf '#!/bin/sh\nexit 0\n' >"$folder/$name"
done
printf '#!/bin/sh\nexit 77\n' >"$folder/tests/install/test_package.sh"
cat >"$folder/bin/ctest" <<'END'
#!/usr/bin/env bash
case $2 in
fast)
  echo ' 2/3 Test  #2: web/page .....***Skipped   0.02 sec'
  echo '100% tests passed, 0 tests failed out of 3'
  ;;
large) echo '67% tests passed, 1 tests failed out of 3' && exit 8 ;;
asan) echo 'No tests were found!!!' ;;
*) echo '100% tests passed, 0 tests failed out of 7' ;;
esac
END
chmod -R +x "$folder"

# ends STATUS LINE COMMAND...: that is the exit status, and that the last line.
ends() {
  local status=$1 line=$2
  shift 2
  PATH=$folder/bin:$PATH "$folder/$1" "${@:2}" >"$folder/said" 2>/dev/null
  [ $? -eq "$status" ] && [ "$(tail -1 "$folder/said")" = "$line" ] && return
  failures=$((failures + 1))
  echo "FAILED: $*: not \"$line\" with status $status"
  cat "$folder/said"
}

ends 0 '2 passed, 0 failed' script/test
ends 1 '4 passed, 1 failed' script/test release
ends 1 '0 passed, 1 failed' script/test asan
ends 1 '4 passed, 2 failed' script/test large fast asan
ends 0 '0 passed, 0 failed' script/test package
ends 2 '' script/test velvet
printf '#!/bin/sh\nexit 1\n' >"$folder/tests/install/test_package.sh"
ends 1 '0 passed, 1 failed' script/test package
ends 1 "$(PATH=$folder/bin:$PATH "$folder/script/test" all | tail -1)" .ci/run
grep -qx 'script/test: 2 passed, 0 failed' "$folder/said" || { failures=$((failures + 1)) && echo "FAILED: a tier has no line"; }
[ "$(grep -cE '^[0-9]+ passed, [0-9]+ failed$' "$folder/said")" -eq 1 ] || { failures=$((failures + 1)) && echo "FAILED: more than one last line"; }
printf '#!/bin/sh\nexit 1\n' >"$folder/script/build"
ends 1 '0 passed, 1 failed' script/test
[ $failures -eq 0 ]
