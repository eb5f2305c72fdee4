#!/usr/bin/env bash
# Drives the program: muslin run and muslin examples on good and bad scenes, killed, stopped, and without room.
#
#   test_run.sh MUSLIN DATA_FOLDER [SANITISER]
#
# DATA_FOLDER may be absent; the garments in it are then skipped. Under a sanitiser fewer kills are tried, because
# everything takes longer.
set -u
muslin=$1 data=$2 sanitiser=${3:-}
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$folder" "$said"' EXIT

# refuses TEXT ARGUMENTS...: muslin run answers status 2 and exactly this, and leaves no folder.
refuses() {
  local text=$1
  shift
  expect 2 run "$@" -o refused
  holds "does not say '$text'" test "$(cat "$said/err")" = "muslin run: $text"
  holds "left a folder behind" test ! -e refused
  rm -rf refused
}

scene() { printf '%s\n' "$2" >"$1.json"; }

# The report without what may differ between two runs.
plain_report() { sed -E 's/"(rejected_)?seconds": (\{[^}]*\}|[-+.e0-9]+)//g; s/"threads": [0-9]+//; s/"bytes": [0-9]+//' "$1/report.json"; }

# same FOLDER FOLDER: every file of the first is in the second, with the same bytes; nothing else is.
same() {
  local name
  diff <(cd "$1" && find . -type f | sort) <(cd "$2" && find . -type f | sort) >&2 || return 1
  for name in $(cd "$1" && find . -type f ! -name report.json ! -name scene.json ! -name 'checkpoint_*'); do
    cmp "$1/$name" "$2/$name" >&2 || return 1
  done
  diff <(plain_report "$1") <(plain_report "$2") >differences || { head -c 600 differences >&2; return 1; }
  diff <(grep -v threads "$1/scene.json") <(grep -v threads "$2/scene.json") >&2
}

# --- what is there ------------------------------------------------------------------------------------------------
# Threads spin only briefly while they wait, unless the user says otherwise. Both compilers' libraries tell how, in
# different words.
holds "threads spin briefly" bash -c 'env -u OMP_WAIT_POLICY OMP_DISPLAY_ENV=verbose "$0" --version 2>&1 | tail -n 60 |
  grep -Eq "GOMP_SPINCOUNT = .(1000|20000).|KMP_BLOCKTIME=.?[01]"' "$muslin"
holds "threads spin" bash -c 'OMP_WAIT_POLICY=active OMP_DISPLAY_ENV=true "$0" --version 2>&1 | grep -q ACTIVE' "$muslin"
expect 0 examples
says out 'drooping +10201 +48 '
expect 0 examples --help
expect 2 examples drooping
expect 0 help run
for option in output frames resume vertices tessellation time-step integrator solver threads format checkpoint; do
  says out "--$option"
done
expect 2 run
says err 'no scene given'
expect 2 run droping
says err 'there is neither a file droping.*did you mean drooping.*pinned, drooping, re-entrant'
mkdir pinned
expect 0 run pinned --vertices 81 --frames 1 -o meant
rm -r pinned meant
export MUSLIN_CUDA_LIBRARY=$PWD/missing.so
expect 0 run pinned --vertices 81 --frames 1 --device auto -o auto
says err 'auto: warning: the run goes on on the CPU: there is no CUDA part: .*missing.so'
says out 'no GPU was used: there is no CUDA part'
holds "the report does not say why" grep -q '"failure": "there is no CUDA part' auto/report.json
expect 2 run pinned --vertices 81 --frames 1 --device cuda -o refused
says err 'there is no CUDA part: .*missing.so'
holds "left a folder behind" test ! -e refused
unset MUSLIN_CUDA_LIBRARY
rm -r auto

# --- a run --------------------------------------------------------------------------------------------------------
small="--vertices 81 --time-step 0.01"
expect 0 run drooping $small --frames 3
says out '^out/drooping: 3 frames of 81 vertices, 15 steps, .* s$'
says out '^  [0-9]+ bytes per vertex; peak memory of the process: [0-9]+ MiB$'
says out 'muslin render out/drooping -o out/drooping.png'
says err '^drooping: frame 3 of 3, [0-9]+ iterations'
for name in scene.json sheet.obj sheet.pc2 report.json; do
  holds "$name is missing" test -s out/drooping/$name
done
holds "something is unfinished" test -z "$(find out -name '*partial*' -o -name '*tmp*')"
holds "a sample of 12 bytes per vertex for each frame and the start" test "$(stat -c %s out/drooping/sheet.pc2)" -eq $((32 + 4 * 12 * 81))
holds "a record a step" test "$(grep -c '"step":' out/drooping/report.json)" -eq 15
for key in time time_step halvings newton_iterations iterations retries unfinished residual energies kinetic stretch shear bend \
  potential momentum angular_momentum strain maximum percentile_99 seconds detect respond assemble setup prefilter solve other \
  write rejected_attempts rejected_seconds total build checkpoint rest; do
  holds "the report lacks $key" grep -q "\"$key\": " out/drooping/report.json
done
holds "the report is complete" grep -q '"complete": true' out/drooping/report.json
for options in "--tessellation irregular" "--integrator bdf2" "--integrator newton" "--solver diag" "--threads 1"; do
  expect 0 run drooping $small --frames 2 $options -o other
done
expect 0 run drooping --vertices 81 --frames 2 --accuracy 0.05 -o accurate
says out '2 frames of 81 vertices, 2 steps'
says out 'steps minimised to 0.05 mm by newton-'
holds "the accuracy is not kept" grep -q '"accuracy": 0.05,' accurate/scene.json
holds "the integrator" grep -q '"integrator": "minimise"' accurate/scene.json
expect 0 run accurate/scene.json --frames 2 --time-step 0.021 --accuracy 0.5 -o accurate-2
says out '2 frames of 81 vertices, 4 steps'
expect 0 run drooping $small --frames 1 --integrator minimise -o accurate-3
says out '1 frames of 81 vertices, 5 steps'
for name in pinned drooping re-entrant corners flag curtain; do
  expect 0 run $name --vertices 961 --time-step 0.05 --frames 1 -o each
done
expect 0 run drooping $small --frames 0 -o nothing
holds "the initial state is a sample" test "$(stat -c %s nothing/sheet.pc2)" -eq $((32 + 12 * 81))

# --- scenes from files, and their meshes --------------------------------------------------------------------------
mkdir scenes
square='v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0.5 0 0.5\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n'
printf "$square" >scenes/square.obj
cat >scenes/several.json <<'END'
{ "frames": 2, "time_step": 0.01,
  "cloths": [ {"shape": {"kind": "file", "file": "square.obj"}, "pins": [{"where": {"vertices": [0]}}]},
              {"shape": {"vertices": 25}, "name": "a/b c", "fabric": "silk", "translate": [0, 0.1, 0]},
              {"shape": {"vertices": 36}, "name": "A_b_c", "model": "mass-spring", "translate": [0, 0.2, 0]},
              {"shape": {"kind": "disc", "vertices": 40}, "model": "choi-ko", "translate": [0, 0.3, 0]} ] }
END
expect 0 run scenes/several.json
for name in cloth a_b_c A_b_c-2 cloth-2; do
  holds "$name is missing" test -s out/several/$name.pc2 -a -s out/several/$name.obj
done
holds "vertices in the file's order" test "$(stat -c %s out/several/cloth.pc2)" -eq $((32 + 3 * 12 * 5))
holds "the last vertex is the file's" grep -q '^v 0.5 0 0.5$' out/several/cloth.obj
# The written scene is the one that ran, wherever its meshes are.
mkdir elsewhere
expect 0 run out/several/scene.json -o elsewhere/again
holds "the same scene differs" same out/several elsewhere/again
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nv 9 9 9\nf 1 3 2\nf 1 3 3\n' >scenes/mended.obj
scene scenes/mended '{"frames": 1, "cloths": [{"name": "flawed", "shape": {"kind": "file", "file": "mended.obj"}}]}'
expect 0 run scenes/mended.json
says err '^flawed: dropped 1 triangle'

# --- names that a shell would take apart --------------------------------------------------------------------------
scene spaced '{"name": "my (first) scene", "frames": 0, "cloths": [{"shape": {"vertices": 9}}]}'
expect 0 run spaced.json
says out '^Look at it with: muslin render out/my__first__scene -o out/my__first__scene.png$'
holds "the folder has a name that needs no quotes" test -d out/my__first__scene
expect 0 run spaced.json -o "it's here"
says out "^Look at it with: muslin render 'it'..'s here' -o 'it'..'s here'.png$"

# --- files that are no scenes -------------------------------------------------------------------------------------
printf 'v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 3 2\n' >garment.obj
expect 2 run garment.obj
says err '^muslin run: garment.obj is a mesh, not a scene: write a scene that names it'
grep '^  {' "$said/err" >advised.json
expect 0 run advised.json --frames 0 -o advised
expect 2 run figure.GLB
touch figure.GLB cloth.pc2
expect 2 run figure.GLB
says err 'figure.GLB is a glTF model, not a scene'
expect 2 run cloth.pc2
says err 'cloth.pc2 is a cache, not a scene: give the folder of the run that wrote it$'

printf 'x' >cow.msh && printf 'x' >cow.pvd
expect 2 run cow.msh
says err '^muslin run: cow.msh is a solid, not a scene: write a scene that names it'
says err '\{"solids": \[\{"shape": \{"kind": "file", "file": "cow.msh"\}\}\]\}'
expect 2 run cow.pvd
says err '^muslin run: cow.pvd is a VTK series, not a scene: give the folder of the run that wrote it$'

# A garment in centimetres, taken for metres.
printf 'v 0 0 0\nv 50 0 0\nv 0 90 0\nf 1 2 3\n' >large.obj
scene large '{"frames": 0, "cloths": [{"name": "dress", "shape": {"kind": "file", "file": "large.obj"}}]}'
expect 0 run large.json -o large
says err '^warning: cloths\[0\] \(dress\) is 50 x 90 x 0 m, implausibly large: its shape.s "scale" gives the metres'

# --- bad scenes: exact words, status 2, no folder -----------------------------------------------------------------
scene key '{"cloths": [{}],
 "frmes": 3}'
expect 2 run key.json -o refused
says err '^muslin run: key.json:2: frmes is not a key of a scene, which has name, frames, .*, cloths, .*bodies, .*[a-z]$'
holds "left a folder behind" test ! -e refused
scene missing '{"cloths": [{"shape": {"kind": "file", "file": "missing.obj"}}]}'
refuses 'missing.json: cloths[0]: missing.obj: cannot be opened (No such file or directory): check the path' missing.json
scene size '{"cloths": [{"shape": {"size": [0, 1]}}]}'
refuses 'size.json:1: cloths[0].shape.size[0] is 0: it must be in 0.0001...10000' size.json
scene area '{"cloths": [{"shape": {"kind": "file", "file": "area.obj"}}]}'
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >area.obj
refuses 'area.json: cloths[0]: area.obj: no triangle with an area is in it: a cloth needs a surface' area.json
scene density '{"cloths": [
 {"density": -0.1}]}'
refuses 'density.json:2: cloths[0].density is -0.1: it must be in 0...10000' density.json
scene nan '{"cloths": [{"density": NaN}]}'
refuses "nan.json:1: invalid token near 'NaN'" nan.json
scene infinite '{"cloths": [{"density": 1e999}]}'
refuses "infinite.json:1: real number overflow near '1e999'" infinite.json
scene nan_mesh '{"cloths": [{"shape": {"kind": "file", "file": "nan.obj"}}]}'
printf 'v 0 0 0\nv 1 0 nan\nv 2 0 0\nf 1 2 3\n' >nan.obj
refuses 'nan_mesh.json: cloths[0]: nan.obj:2: z is not a finite number: check the program that wrote it' nan_mesh.json
scene pin '{"cloths": [{"shape": {"vertices": 25}, "pins": [{"where": {"box": [5, 5, 5, 6, 6, 6]}}]}]}'
refuses 'pin.json: cloths[0].pins[0]: holds no vertex: check its "where" against the cloth'"'s place" pin.json
scene pin '{"cloths": [{"shape": {"vertices": 25}, "pins": [{}]}]}'
refuses 'pin.json: cloths[0].pins[0]: holds no vertex: check its "where" against the cloth'"'s place" pin.json
scene vertex '{"cloths": [{"shape": {"vertices": 25}, "pins": [{"where": {"vertices": [3, 25]}}]}]}'
refuses 'vertex.json: cloths[0].pins[0]: vertex 25 is outside 0...24' vertex.json
scene branch '{"cloths": [{"shape": {"kind": "file", "file": "branch.obj"}}]}'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n' >branch.obj
refuses 'branch.json: cloths[0]: branch.obj: 1 edge of more than two triangles: 0-1: split the mesh there, cloth has two sides' branch.json
scene fabric '{"cloths": [{"fabric": "tweed"}]}'
refuses 'fabric.json: cloths[0]: there is no fabric named "tweed"; there are cotton, silk, wool, denim, jersey, leather' fabric.json
scene steps '{"frame_rate": 0.001, "time_step": 1e-9, "cloths": [{}]}'
refuses 'steps.json: a frame would take more than 1e+06 steps: raise "time_step" or "frame_rate"' steps.json
scene none '{}'
refuses 'none.json: the scene has no cloths and no solids: give at least one' none.json
: >empty.json
refuses "empty.json:1: '[' or '{' expected near end of file" empty.json
head -c 4096 /dev/urandom >noise.json
expect 2 run noise.json -o refused
holds "noise leaves no folder" test ! -e refused
refuses '--time-step: 0 is out of range; give 1e-09 to 1000' drooping --time-step 0
refuses '--time-step: -1 is out of range; give 1e-09 to 1000' drooping --time-step -1
refuses '--accuracy: 0 is out of range; give 1e-09 to 1000' drooping --accuracy 0
refuses '--accuracy is for the integrator minimise: leave out --integrator euler' drooping --accuracy 1 --integrator euler
scene minimiser '{"integrator": "minimise", "minimiser": "guess", "cloths": [{"shape": {"vertices": 25}}]}'
expect 2 run minimiser.json -o refused
says err '^muslin run: minimiser.json: there is no minimiser "guess": take one of newton'
holds "left a folder behind" test ! -e refused
refuses '--vertices and --tessellation have no effect: every part of scenes/mended.json is from a file' scenes/mended.json --vertices 100
refuses 'drooping: there is no cache format "pc3": choose one of pc2, mdd, obj, usda, vtu' drooping --format pc2,pc3
refuses 'drooping: the cache format "pc2" is given twice: give it once' drooping --format pc2,pc2
: >plain
expect 2 run drooping $small -o plain
says err '^muslin run: drooping: plain: the folder cannot be created \(File exists\)'

# --- nobody's own files are overwritten ---------------------------------------------------------------------------
mkdir own
cp scenes/square.obj own/cloth.obj
scene own/scene '{"frames": 1, "cloths": [{"shape": {"kind": "file", "file": "cloth.obj"}}]}'
expect 2 run own/scene.json -o own
says err 'own/scene.json: would be overwritten, but was not written by a run: give another folder'
mv own/scene.json own/mine.json
expect 2 run own/mine.json -o own
says err 'own/cloth.obj: a cloth is read from it, and the run would overwrite it: give another folder'
holds "the mesh is as it was" cmp -s own/cloth.obj scenes/square.obj
holds "nothing else is there" test "$(ls own | wc -l)" -eq 2

# --- going on -----------------------------------------------------------------------------------------------------
run="drooping $small --checkpoint 4 --format pc2,mdd,obj,usda,vtu"
expect 0 run $run --frames 10 -o whole
expect 0 run $run --frames 6 --resume -o parts
says err 'parts: no checkpoint to resume from: starting again'
expect 0 run parts --resume --frames 10
holds "more frames later differ from all at once" same whole parts
expect 0 run parts --resume
says out 'all 10 frames are already complete'
cp -r parts stepped
expect 0 run stepped --frames 14 --resume --time-step 0.005
says err '^stepped: resuming from frame [0-9]+ with a time step of 0.005 s; it was 0.01 s$'
holds "the new time step is not kept" grep -q '"time_step": 0.005' stepped/scene.json
holds "no step of the new length" grep -q '"time_step": 0.00462' stepped/report.json
holds "no step of the old length" grep -q '"time_step": 0.00833' stepped/report.json
expect 0 run stepped --frames 15 --resume
holds "speaks of a time step that is the same" test "$(grep -c 'time step' "$said/err")" -eq 0
expect 2 run $run --frames 7 --resume -o parts
says err 'parts: cannot resume: frame 10 is already done: ask for more than 7 frames'
expect 2 run $run --frames 12 --resume -o parts --vertices 100
says err 'parts: cannot resume: it holds a run of another scene \("vertices": 81 there, "vertices": 100 here\): start again'
expect 2 run parts --frames 12 --resume --format pc2
says err 'it has the cache formats pc2,mdd,obj,usda,vtu, not pc2'
holds "a refusal changes nothing" same whole parts
# Results do not depend on where checkpoints are.
expect 0 run $run --checkpoint 3 --frames 7 -o others
expect 0 run others --resume --checkpoint 5 --frames 10
holds "another interval of checkpoints differs" cmp -s whole/sheet.pc2 others/sheet.pc2
expect 0 run drooping $small --checkpoint 0 --frames 3 -o never
holds "no checkpoint is made" test -z "$(ls never | grep checkpoint)"
# A mesh that has changed since makes another scene too.
expect 0 run scenes/several.json --checkpoint 1 -o remade
sed -i 's/^v 0.5 0 0.5/v 0.5 0 0.4/' scenes/square.obj
expect 2 run scenes/several.json --checkpoint 1 --frames 3 -o remade --resume
says err 'it holds a run of another scene \(other meshes there, other ones here\)'
# A damaged checkpoint is passed over; the one before it has the same end.
cp -r whole damaged && printf x | dd of=damaged/checkpoint_000010.bin bs=1 seek=2000 conv=notrunc 2>/dev/null
rm damaged/sheet.pc2 && cp whole/sheet.pc2 damaged/sheet.pc2.partial
expect 0 run damaged --resume
holds "going on from the checkpoint before" cmp -s whole/sheet.pc2 damaged/sheet.pc2
# Before the first frame's end, too, there is something to go on from, in the formats that were asked for.
expect 0 run drooping $small --frames 0 -o early --format mdd,usda
expect 0 run early --resume --frames 2
holds "its formats are kept" test -e early/sheet.mdd -a -e early/sheet.usda -a ! -e early/sheet.pc2
# A shorter run over a longer one's folder leaves nothing of it.
cp -r whole over && touch over/preview.png over/preview.mp4 over/preview.mp4.tmp7 over/preview.mp4.mine
expect 0 run drooping $small --frames 2 -o over
holds "what is not its own stays" test -e over/preview.mp4.mine
holds "old caches are gone" test -z "$(ls over | grep -E 'preview.(png|mp4|mp4.tmp7)$|mdd|usda|pvd|frames|checkpoint_00000[13-9]|sheet$')"

# --- killed at any moment -----------------------------------------------------------------------------------------
cat >scenes/two.json <<'END'
{ "name": "two", "frames": 24, "time_step": 0.01, "wind": [2, 0, 1], "gust": 0.5,
  "cloths": [ {"name": "sheet", "shape": {"vertices": 121, "tessellation": "irregular"},
               "pins": [{"where": {"box": [-1, -1, -1, -0.49, 1, 1]}, "amplitude": [0, 0.1, 0], "frequency": 1}]},
              {"name": "square", "shape": {"kind": "file", "file": "square.obj"}, "translate": [0, 1, 0],
               "pins": [{"where": {"vertices": [0, 1]}}]} ] }
END

# run_and_kill FOLDER SEED ARGUMENTS...: kills the run after longer and longer times until one comes to its end.
run_and_kill() {
  local to=$1
  RANDOM=$2
  shift 2
  for try in $(seq 60); do
    "$muslin" run "$@" --resume -o "$to" >"$said/out" 2>"$said/err" </dev/null &
    local process=$! wait=$((RANDOM % (100 + 20 * try) + 10 * try))
    sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    case $? in
    0) return 0 ;;
    137) kills=$((kills + 1)) ;;
    *) return 1 ;;
    esac
  done
  expect 0 run "$@" --resume -o "$to"
}

kills=0
integrators="euler bdf2"
[ -z "$sanitiser" ] || integrators=bdf2
for integrator in $integrators; do
  run="scenes/two.json --integrator $integrator --checkpoint 3 --format pc2,mdd,obj,usda,vtu --residual"
  expect 0 run $run --threads 1 -o whole_$integrator
  for threads in 1 2; do
    killed=killed_${integrator}_$threads
    run_and_kill $killed $((threads + 7)) $run --threads $threads
    holds "exit status of $killed" test $? -eq 0
    last="$killed"
    holds "a killed run differs" same whole_$integrator $killed
    for cloth in sheet square; do
      for frame in 0000 0013 0024; do
        holds "an OBJ of every frame" test -s $killed/$cloth/frame_$frame.obj
      done
    done
  done
done
# Solids have more to remember than what their surfaces show.
cat >scenes/soft.json <<'END'
{ "name": "soft", "frames": 10, "time_step": 0.01,
  "bodies": [{"name": "floor", "shape": {"kind": "plane", "size": [4, 1, 4]}}],
  "cloths": [{"name": "sheet", "shape": {"vertices": 49, "size": [0.4, 0.4]}, "translate": [0, 0.3, 0]}],
  "solids": [{"name": "ball", "shape": {"kind": "ball", "radius": 0.1, "vertices": 150}, "material": "gel",
              "translate": [0, 0.12, 0], "velocity": [0, -2, 0]},
             {"name": "box", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1], "vertices": 60}, "translate": [0.02, 0.4, 0]}] }
END
soft="scenes/soft.json --checkpoint 3 --format pc2,vtu --residual"
expect 0 run $soft --threads 1 -o whole_soft
says out '^  whole_soft/box.obj and its cache$'
holds "surfaces, stresses and series of solids" test -s whole_soft/ball.obj -a -s whole_soft/ball.pc2 -a \
  -s whole_soft/ball.stress.pc2 -a -s whole_soft/ball.residual.pc2 -a -s whole_soft/ball.frames/frame_0010.vtu
for threads in 1 2; do
  killed=killed_soft_$threads
  run_and_kill $killed $((threads + 11)) $soft --threads $threads
  holds "exit status of $killed" test $? -eq 0
  last="$killed"
  holds "a killed run of solids differs" same whole_soft $killed
done
expect 0 check killed_soft_2
says out '^no intersection$'
expect 0 info killed_soft_2
says out '^  solid +ball.obj, ball.pc2, ball.pvd$'
expect 0 run scenes/two.json --frames 1 -o killed_soft_2
holds "what an earlier run left of solids is gone" test -z "$(ls killed_soft_2 | grep -E 'ball|box')"
echo "$kills kills"
holds "runs were killed on the way" test $kills -ge 4

# --- a scene that cannot be simulated -----------------------------------------------------------------------------
scene wild '{"frames": 8, "time_step": 0.05, "adaptive": false, "cloths": [{"shape": {"vertices": 25}, "pins": [
  {"where": {"box": [-1, -1, -1, -0.49, 1, 1]}}, {"where": {"box": [0.49, -1, -1, 1, 1, 1]}, "offset":
  [{"time": 0.15, "value": [0, 0, 0]}, {"time": 0.2, "value": [1000, 0, 0]}]}]}]}'
expect 1 run wild.json --checkpoint 2
says err '^muslin run: the step to [0-9.]+ s .*: take a smaller time_step$'
says err '^3 frames are done; resume with: muslin run out/wild --resume$'
holds "whole frames stay" test -s out/wild/cloth.pc2.partial
expect 1 run out/wild --resume
says err '^3 frames are done'

# --- runs that end tangled ----------------------------------------------------------------------------------------
# A sheet whose pins pull it through a ball.
through() {
  scene through '{"frames": 3, "time_step": 0.01, "allow_tangled": '"$1"', "gravity": [0, 0, 0],
    "bodies": [{"name": "ball", "shape": {"kind": "sphere", "radius": 0.1, "facet": 0.01}}],
    "cloths": [{"name": "sheet", "shape": {"vertices": 81, "size": [0.4, 0.4]}, "translate": [0, 0.15, 0], "pins":
    [{"where": {"box": [-1, -1, -1, 1, 1, 1]}, "offset": [{"time": 0, "value": [0, 0, 0]}, {"time": 0.1, "value":
    [0, -0.15, 0]}]}]}]}'
}
through false
expect 1 run through.json
says out '^  [0-9]+ pairs of triangles intersect at the end, 0 did at the start:$'
says out '^    sheet and the body ball: [0-9]+ around \(.*\), within .* m, since frame [12]$'
says err 'the run ends with more intersections than it began with, [0-9]+ against 0'
holds "its results are complete" grep -q '"complete": true' out/through/report.json
pairs=$(sed -nE 's/.*"intersecting_pairs": \{"start": 0, "end": ([0-9]+)\}.*/\1/p' out/through/report.json)
expect 1 check out/through --frames 3
says out "^frame 3: 0 cloth-cloth, ${pairs:-none} cloth-body"
through true
expect 0 run through.json

# --- stopped by Ctrl-C --------------------------------------------------------------------------------------------
(
  trap - INT # what runs in the background ignores it otherwise
  exec "$muslin" run scenes/two.json --frames 4000 --checkpoint 3 -o stopped
) >"$said/out" 2>"$said/err" </dev/null &
process=$! last="muslin run, stopped"
for try in $(seq 1200); do
  # Two are kept at a time, so that none is there for long.
  ! find stopped -name 'checkpoint_*.bin' ! -name checkpoint_000000.bin 2>/dev/null | grep -q . || break
  sleep 0.1
done
# A second run keeps off the folder of the first.
"$muslin" run scenes/two.json --frames 4000 -o stopped 2>second.txt </dev/null
holds "a second run is refused" test $? -eq 2
holds "and told why" grep -q 'stopped: another run is writing to it' second.txt
kill -TERM $process
wait $process
holds "status 1 when stopped" test $? -eq 1
says err '^stopping; press Ctrl-C again to stop at once$'
says err '^[0-9]+ frames are done; resume with: muslin run stopped --resume$'
done_frames=$(sed -nE 's/^([0-9]+) frames are done.*/\1/p' "$said/err")
holds "a checkpoint of the last frame" test -s "$(printf 'stopped/checkpoint_%06d.bin' "${done_frames:-0}")"
expect 0 run stopped --resume --frames $((${done_frames:-0} + 2))
holds "only what was missing is simulated" grep -Eq "frame $((${done_frames:-0} + 1)) of" "$said/err"

# --- no room on the disk ------------------------------------------------------------------------------------------
# with_limit KIBIBYTES: the last run from above, whose files may grow to so many.
with_limit() {
  last="muslin run with files of $1 KiB"
  (ulimit -f "$1" && exec "$muslin" run $run --threads 1 -o limited) >"$said/out" 2>"$said/err" </dev/null
  holds "status 1 without room" test $? -eq 1
}
limits="12 20 40 64"
[ "$sanitiser" != thread ] || limits= # it maps a file of its own, which would not fit
for limit in $limits; do
  rm -rf limited
  with_limit $limit
  says err 'cannot be written \(File too large\): check the folder, its permissions and the free space'
  expect 0 run $run --threads 1 -o limited --resume
  holds "a run that had no room differs" same whole_$integrator limited
done
mkdir small_disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=160k tmpfs small_disk 2>/dev/null; then
  mounted=$folder/small_disk
  expect 1 run scenes/two.json --checkpoint 3 -o small_disk/result
  says err 'cannot be written \(No space left on device\): check the folder, its permissions and the free space'
  says err 'frames? (is|are) done'
  mount -o remount,size=4m small_disk
  expect 0 run scenes/two.json --checkpoint 3 -o small_disk/result --resume
  expect 0 run scenes/two.json --checkpoint 3 -o large_disk
  holds "a run that had no space differs" same large_disk small_disk/result
else
  echo "skipped: cannot mount a small file system here, so a full disk was not tried"
fi

# --- garments -----------------------------------------------------------------------------------------------------
if [ -d "$data/garments" ] && [ -z "$sanitiser" ]; then
  scene garment "{\"frames\": 1, \"time_step\": 0.02, \"cloths\": [{\"name\": \"skirt\",
    \"shape\": {\"kind\": \"file\", \"file\": \"$data/garments/codim-ipc/skirt8K.obj.gz\"}, \"pins\": [{\"where\": {\"vertices\": [0]}}]}]}"
  expect 0 run garment.json
  holds "as many vertices as in the file" test "$(stat -c %s out/garment/skirt.pc2)" -eq $((32 + 2 * 12 * 8121))
else
  echo "skipped: there is no $data/garments, or a sanitiser is at work, so no garment was simulated"
fi

conclude
