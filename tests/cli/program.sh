# Driving the program from outside: what the tests of its commands share. Each says `. program.sh` when $muslin names the
# program, then stands in an empty folder, $folder, that is removed at its end, and closes with `conclude`. What the
# program said is in $said, so that $folder holds only what it wrote.
#
# shellcheck shell=bash disable=SC2034,SC2154
folder=$(mktemp -d) said=$(mktemp -d) || exit 1
trap 'rm -rf "$folder" "$said"' EXIT
cd "$folder" || exit 1
export OMP_WAIT_POLICY=passive
checks=0 failures=0
last=        # what was run, for messages
memory=      # KiB that the program may reserve, where that is limited
search=$PATH # where the program finds others
touch "$said/out" "$said/err"

failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  sed 's/^/  stdout: /' "$said/out" | head -30
  sed 's/^/  stderr: /' "$said/err" | head -20
}

# expect STATUS ARGUMENTS...: runs the program; `out` and `err` in $said keep what it said.
expect() {
  local wanted=$1 status
  shift
  (
    [ -z "$memory" ] || ulimit -v "$memory"
    exec timeout 1200 env PATH="$search" "$muslin" "$@"
  ) >"$said/out" 2>"$said/err" </dev/null
  status=$?
  last="muslin $*"
  checks=$((checks + 1))
  [ $status -eq "$wanted" ] || failed "$last: exit status $status instead of $wanted"
  ! grep -q 'Sanitizer\|runtime error' "$said/err" || failed "$last: a sanitiser complains"
}

# says out|err PATTERN: what was said matches.
says() {
  checks=$((checks + 1))
  grep -Eq -- "$2" "$said/$1" || failed "$last: '$2' is not in std$1"
}

# holds DESCRIPTION COMMAND...
holds() {
  checks=$((checks + 1))
  local what=$1
  shift
  "$@" || failed "$last: $what"
}

# The last word, and the exit status.
conclude() {
  echo "$checks checks, $failures failures"
  [ $failures -eq 0 ]
}
