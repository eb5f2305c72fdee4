#!/usr/bin/env bash
# muslin view from outside: what it refuses, the address that it prints, the page behind it, and how it ends.
#
#   test_view.sh MUSLIN MANUAL [SANITISER]     every command of the manual (docs/view.md) is run, too; not under
#                                              sanitisers, which are slow
set -u
muslin=$1 manual=$2 sanitiser=${3:-}
"$muslin" view --help | grep -q -- --host || {
  echo "skipped: this build has no viewer"
  exit 77
}
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

expect 0 view --help
says out 'muslin view SCENE\|RESULT'
expect 2 view
says err 'nothing to view: name a scene file'
expect 2 view curtian
says err 'did you mean curtain'
expect 2 view curtain --time-step 3
says err '1e-05 to 0.1'
expect 2 view curtain --time-step -3
says err '1e-05 to 0.1'
expect 2 view curtain --tolerance 2
says err '1e-14 to 0.1'
expect 2 view curtain --solver best
says err '^muslin view: --solver'
expect 2 view curtain --live
says err '\-\-live is for result folders'
expect 2 view curtain --port 70000
says err 'port'
echo '{"cloths": [{"pins": [{"where": {"sphere": [9, 9, 9, 1]}}]}]}' >lost.json
expect 2 view lost.json --port 0
says err 'cloths\[0\].pins\[0\]: holds no vertex'
expect 1 view drooping --vertices 49 --host 203.0.113.7
says err 'cannot listen on 203.0.113.7, port 8765: this machine has no such address'
expect 1 view drooping --vertices 49 --host ::1
says err 'IPv4 address'
expect 0 run drooping --vertices 49 --frames 2 -o result
expect 2 view result --vertices 81
says err 'give --live'
mkdir empty
expect 2 view empty
says err 'no scene.json: name a folder that muslin run has written'
if [ -e /dev/full ]; then
  last='muslin view > /dev/full'
  timeout 300 "$muslin" view drooping --vertices 49 --port 0 >/dev/full 2>"$said/err"
  holds 'a full disk is told' test $? -eq 1
  says err 'cannot print the address to standard output: No space left'
fi

# start ARGUMENTS...: in the background; sets $process, $address and $port.
start() {
  last="muslin view $*"
  : >"$said/out"
  "$muslin" view "$@" >"$said/out" 2>"$said/err" </dev/null &
  process=$!
  for _ in $(seq 1200); do
    grep -q '^http' "$said/out" && break
    sleep 0.1
  done
  address=$(grep -m1 '^http' "$said/out")
  port=${address#http://127.0.0.1:} port=${port%%/*}
}

# get PATH: what the server answers.
get() {
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
  timeout 120 cat <&3 | tr -d '\0' | head -c 2000000
  exec 3>&-
}

# ends SIGNAL: in good order.
ends() {
  kill -"$1" "$process"
  wait "$process"
  holds "it ends by SIG$1" test $? -eq 0
  says err '^muslin view: ended$'
}

# What may not be as it was meant is told, as by muslin run.
echo '{"cloths": [{"shape": {"vertices": 49, "size": [800, 800]}}]}' >large.json
start large.json --port 0 --vertices 49
says err '^warning: '
ends INT

start drooping --vertices 49 --port 0
says out '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$'
get "/${address##*/}" >page
holds 'the page is served' grep -q '200 OK' page
holds 'it is the page' grep -q '<title>muslin</title>' page
holds 'it is whole' grep -q '</html>' page
get '/?token=0123456789abcdef0123456789abcdef' >page
holds 'a wrong token is refused' grep -q '403 Forbidden' page
holds 'and gets nothing' test "$(grep -c '<title>' page)" -eq 0
says err 'rejected: the token is wrong'
expect 1 view drooping --vertices 49 --port "$port"
says err 'another program is using that port: give another --port'
first=$address
other=$process
start drooping --vertices 49 --port 0
holds 'tokens differ' test "${first##*=}" != "${address##*=}"
ends TERM
process=$other
ends INT

# The browser may run in the opener's place, and then waits for the page before it ends.
mkdir bin
cat >bin/xdg-open <<'END'
#!/usr/bin/env bash
port=${1#http://127.0.0.1:} port=${port%%/*}
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "${1##*/}" >&3
timeout 120 head -n 1 <&3 >opened.partial
mv opened.partial opened
END
chmod +x bin/xdg-open
PATH=$PWD/bin:$PATH DISPLAY=:0 start drooping --vertices 49 --open --port 0
for _ in $(seq 1200); do
  [ -e opened ] && break
  sleep 0.1
done
holds 'what is opened is answered' grep -q '200 OK' opened
ends INT

name=$(printf 'r\351sultat') # no UTF-8
cp -r result "$name"
start "$name" --paused --port 0
ends INT
start result --paused --port 0
get "/${address##*/}" >page
holds 'a recording is served' grep -q '200 OK' page
ends INT

if [ -n "$sanitiser" ]; then
  conclude
  exit
fi

# The manual's commands, with any port.
while read -r command words; do
  holds "the manual's commands are muslin's" test "$command" = muslin
  # shellcheck disable=SC2086
  case $words in
  view*)
    start ${words#view } --port 0
    ends INT
    ;;
  *) expect 0 $words ;;
  esac
done < <(awk '/^```/ { on = $0 == "```sh"; next } on' "$manual")
holds 'the manual has commands' test "$checks" -gt 50
conclude
