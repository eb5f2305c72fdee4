#!/usr/bin/env bash
# Drives the program: muslin check on results and meshes, clean, crossing and bad, and the commands of docs/check.md.
#
#   test_check.sh MUSLIN SOURCE_FOLDER
set -u
muslin=$1 source=$2
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses PATTERN ARGUMENTS...: status 2 with one line that matches, and nothing else.
refuses() {
  local pattern=$1
  shift
  expect 2 check "$@"
  says err "$pattern"
  holds 'says more than a line' [ "$(wc -l <"$said/err")" -le 2 ]
  holds 'says something of a result' [ ! -s "$said/out" ]
}

# sheet HEIGHT FILE: four triangles around the middle of a square in the plane y = HEIGHT.
sheet() {
  printf 'v 0 %s 0\nv 1 %s 0\nv 1 %s 1\nv 0 %s 1\nv 0.5 %s 0.5\nf 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n' \
    "$1" "$1" "$1" "$1" "$1" >"$2"
}
sheet 0 flat.obj
sheet 0.25 upper.obj
sed 's/^v 0.5 0 0.5/v 0.5 0.3 0.5/' flat.obj >tent.obj       # its tip goes through the upper sheet
printf 'v 0 0.1 0.5\nv 1 0.1 0.5\nv 0.5 0.2 0.5\nf 1 2 3\n' >wall.obj # inside the tent, and through it
cat flat.obj >both.obj                                         # two sheets in one file, at the same place
sed -n 's/^v/v/p' flat.obj >>both.obj
printf 'f 6 10 7\n' >>both.obj

# --- bad input ------------------------------------------------------------------------------------------------------
refuses 'no result given: name a result folder or a mesh'
refuses 'nowhere: there is no such result folder or mesh' nowhere
refuses 'it contains no scene.json' .
refuses 'none.obj' flat.obj --body none.obj
refuses 'none.pc2' flat.obj --body upper.obj:none.pc2
refuses 'none.pc2' flat.obj none.pc2
refuses 'there is no frame 3: it has 1, numbered from 0' flat.obj --frames 3
refuses "--frames: '2-1' is neither FIRST-LAST" flat.obj --frames 2-1
refuses "--frames: 'x' is neither FIRST-LAST" flat.obj --frames x
refuses "--frames: '-2' is neither FIRST-LAST" flat.obj --frames=-2
refuses 'unknown option --bodi; did you mean --body\?' flat.obj --bodi upper.obj
refuses "unexpected argument 'c'" flat.obj b c
printf 'v 0 0 0\nv 1e70 0 0\nv 0 1 0\nf 1 2 3\n' >huge.obj
refuses 'a vertex has the coordinate 1e\+70: keep coordinates below' huge.obj

# --- meshes ---------------------------------------------------------------------------------------------------------
expect 0 check flat.obj
says out 'flat.obj: 1 frame, 5 vertices'
says out '^no intersection$'
expect 0 check flat.obj --body upper.obj
says out '1 body of 4 triangles'
expect 1 check tent.obj --body upper.obj
says out '^frame 0: 0 cloth-cloth, [1-9][0-9]* cloth-body, 0 at seams; 0 new since frame 0$'
says out '^  tent.obj 0 and upper.obj [0-3] at 0\.[0-9]+ 0\.25 0\.[0-9]+ \(cloth-body\)$'
expect 1 check tent.obj --body flat.obj --body upper.obj --places 0 --quiet
holds "quiet is quiet" test ! -s "$said/err"
holds 'says more than the summary' [ "$(wc -l <"$said/out")" = 3 ]
expect 1 check tent.obj --body wall.obj
expect 1 check both.obj
says out '[1-9][0-9]* cloth-cloth, 0 cloth-body'
expect 0 check tent.obj --body upper.obj --new
says out '0 new since frame 0'

# What is sewn together in one place is one: whole vertices here, and one at a third of an edge.
printf 'stitch 0 5 5 0\nstitch 4 9 9 0\nstitch 1 6 6 0\n' >>both.obj
expect 0 check both.obj --seams
says out '^no intersection$'
printf 'v 0 0 0\nv 3 0 0\nv 0 1 0\nv 1 0 0\nv 0 -1 0\nv 2 -1 0\nf 1 2 3\nf 4 5 6\n' >edge.obj
expect 1 check edge.obj
printf 'stitch 3 0 1 0.3333333333333333\n' >>edge.obj
expect 0 check edge.obj --seams
# What crosses beyond the seam is found, and told apart.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0.3 0.3 1\nv 0.3 0.3 -1\nf 1 2 3\nf 4 5 6\nstitch 0 3 3 0\n' >crossed.obj
expect 0 check crossed.obj
says out ' 0 cloth-cloth, 0 cloth-body, 1 at seams'
says out '^no intersection, seams aside$'
expect 1 check crossed.obj --seams
expect 0 check crossed.obj --new

# --- results --------------------------------------------------------------------------------------------------------
expect 0 run flag --vertices 121 --frames 3 -o flag
expect 0 check flag
says out 'flag: 4 frames, 1[0-9]+ vertices'
says out '^no intersection$'
says err 'checking: frame 4 of 4'
expect 0 check flag/flag.obj flag/flag.pc2 --frames 1-2
says out '2 frames'

# A wall where the flag will be, but is not at the start.
cat >wall.awk <<'END'
$1 == "v" { n++; if (n == 1 || $4 > z) z = $4 }
END { printf "v -9 -9 %g\nv 9 -9 %g\nv 0 9 %g\nf 1 2 3\n", z + 1e-4, z + 1e-4, z + 1e-4 }
END
awk -f wall.awk flag/flag.obj >front.obj
expect 0 check flag --frames 0 --body front.obj
expect 1 check flag --body front.obj --json all.json
says out ' new since frame 0$'
says out 'cloth-body, new\)$'
expect 1 check flag --body front.obj --new
holds 'no frames in the JSON' grep -q '"frame": [1-3]' all.json
holds 'no places in the JSON' grep -q '"kind": "cloth-body"' all.json
holds 'not all frames in the JSON' grep -q '^  "last": 3,$' all.json
holds 'nothing new in the JSON' grep -q '^    "new": [1-9]' all.json
cp all.json one.json
for threads in 1 3; do
  expect 1 check flag --body front.obj --json one.json --threads $threads --places 1000
  grep -v seconds one.json >"threads$threads"
done
holds 'threads change what is found' cmp threads1 threads3
expect 2 check flag --json nowhere/all.json
says err 'nowhere/all.json'

# A run that was killed is searched as far as it is.
mv flag/flag.pc2 flag/flag.pc2.partial
truncate -s -100 flag/flag.pc2.partial
expect 0 check flag
says out '3 frames'

# --- the manual -----------------------------------------------------------------------------------------------------
# Its commands as they are, but small.
awk 'on && /^```/ { on = 0 } on { print } /^```sh/ { on = 1 }' "$source/docs/check.md" >commands
holds 'no commands in the manual' [ "$(wc -l <commands)" -gt 3 ]
mkdir manual && cd manual || exit 1
cp ../upper.obj floor.obj
while read -r line; do
  line=${line#muslin }
  case $line in
  run*) line="$line --vertices 121 --frames 2" ;;
  esac
  eval "expect 0 $line"
done <../commands
cd ..
"$muslin" check --help | grep -oE -- '--[a-z-]+' | sort -u | grep -v -- '--help' >known
grep -oE '^\| `[^|]*' "$source/docs/check.md" | grep -oE -- '--[a-z-]+' | sort -u >named
last='docs/check.md'
holds 'its options differ from the program'"'"'s' diff known named

conclude
