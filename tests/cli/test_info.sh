#!/usr/bin/env bash
# Drives the program: muslin info on every kind of file, and on what is none.
#
#   test_info.sh MUSLIN SOURCE_FOLDER DATA_FOLDER
#
# DATA_FOLDER may be absent; the garments and matrices in it are then skipped.
set -u
muslin=$1 source=$2 data=$3
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# lists TEXT...: standard output has each of these lines (blanks at the ends and runs of blanks aside).
lists() {
  local text
  for text in "$@"; do
    checks=$((checks + 1))
    sed -E 's/ +/ /g; s/^ //; s/ $//' "$said/out" | grep -Fxq -- "$text" || failed "$last: does not say '$text'"
  done
}

# refuses PATTERN ARGUMENTS...: status 2, nothing on standard output, and standard error matches.
refuses() {
  local pattern=$1
  shift
  expect 2 info "$@"
  says err "$pattern"
  holds "has something to say all the same" test ! -s "$said/out"
}

# --- meshes -------------------------------------------------------------------------------------------------------
cat >sheet.obj <<'END'
surf 1 2 3
g front
v 0 0 0
v 1 0 0
v 1 2 0
v 0 2 0
v 7 7 7
vt 0 0
vt 0.5 0
vt 0.5 1
vt 0 1
f 1/1 2/2 3/3
g back
f 1/1 3/3 4/4
stitch 0 1 2 0.5
END
expect 0 info sheet.obj
lists 'sheet.obj: a mesh' 'vertices 5' 'triangles 2' 'box from (0, 0, 0) to (7, 7, 7)' 'area 2' \
  'edges 5, 4 of them at the boundary' 'lengths 1 to 2.23607, 1.64721 on average' 'pieces 1, with 1 boundary loops' \
  'texture from (0, 0) to (0.5, 1)' 'rest shape by positions: flat' \
  'by texture coordinates: "material_scale": 2 gives the same area; edges are then 1 to 1 times as long as at rest' \
  'groups 2: front, back' 'stitches 1; a run sews them' 'not read 1 lines or properties, the first "surf"' \
  'defects 1 vertex without triangles: 4: a run leaves them out'
gzip -k sheet.obj
expect 0 info sheet.obj.gz
lists 'triangles 2'
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 1\nf 1 2 3\nf 1 2 4\nf 1 2 4\nf 1 1 4\n' >faulty.obj
expect 0 info faulty.obj
lists 'texture no texture coordinates' \
  'defects 1 triangle with a vertex twice: 3: a run leaves them out' \
  '1 triangle without area in space: 0: a run leaves them out' \
  '1 triangle that repeats another: 2 (of 1): a run leaves them out'
for file in "$source"/tests/data/obj/good_* "$source"/tests/data/ply/good_*; do
  expect 0 info "$file"
  says out ': a mesh$'
done
for file in "$source"/tests/data/obj/bad_* "$source"/tests/data/ply/bad_*; do
  refuses "${file##*/}" "$file"
done

# --- glTF ---------------------------------------------------------------------------------------------------------
expect 0 info "$source/tests/data/gltf/good_beam.glb"
lists 'vertices 20, merged from the file'"'"'s 25' 'triangles 36' 'surface 1 pieces, closed' 'nodes 5, 1 of them with meshes' \
  'skins 1, with 3 joints' 'animations "bend", 2 s' '"still", 0 s'
expect 0 info "$source/tests/data/gltf/good_parts.gltf"
lists 'surface 3 pieces; 12 edges at the boundary, 0 of three triangles or more' 'morphing 2 targets'
printf '{"asset": {"version": "2.0"}}' >empty.gltf
refuses 'empty.gltf: its scene shows no triangles' empty.gltf

# --- scenes -------------------------------------------------------------------------------------------------------
echo '{"cloths": [{"shape": {"vertices": 100}}]}' >scene.json
expect 0 info scene.json
lists '"frames": 100,' '"vertices": 100,' '"fabric": "cotton",' '"gravity": [0, -9.81, 0],' '"method": "sa",'
cp "$said/out" resolved.json
expect 0 info resolved.json
holds "the resolved scene is not its own resolved scene" cmp -s "$said/out" resolved.json
expect 0 info drooping
lists '"name": "drooping",'
echo '{"cloths": [{"flavour": 3}]}' >bad.json
refuses 'bad.json:1: cloths\[0\].flavour is not a key of a cloth' bad.json

# --- a result folder and what is in it ----------------------------------------------------------------------------
expect 0 run drooping --vertices 81 --time-step 0.01 --frames 6 --checkpoint 2 --format pc2,mdd,obj,usda,vtu -o result
expect 0 info result
lists 'result: a result folder' 'frames 6, complete' 'cloth sheet.obj, sheet.pc2, sheet.mdd, sheet/, sheet.usda, sheet.pvd' \
  'checkpoint of frame 6' 'scene drooping: 81 vertices, 128 triangles' 'steps 30, 0 of them halved, 0 solves retried'
says out 'iterations +[0-9.]+ per step, at most [0-9]+$'
says out 'energies +at the end, in J: kinetic [0-9.e+-]+, stretch'
expect 0 info result/report.json
lists 'result/report.json: the report of a run, complete'
expect 0 info result/sheet.pc2
lists 'result/sheet.pc2: a pc2 cache' 'points 81' 'samples 7' 'frames 0 to 6' \
  'first box from (-0.5, 0, -0.5) to (0.5, 0, 0.5)'
expect 0 info result/sheet.mdd
lists 'result/sheet.mdd: a mdd cache' 'points 81' 'samples 7' 'time 0 to 0.25 s'
expect 0 info result/checkpoint_000006.bin
lists 'result/checkpoint_000006.bin: a checkpoint, intact' 'frame 6' 'sections positions, 1944 bytes'
# As a kill leaves it: the last record is cut, and nothing has its name yet.
mv result/sheet.pc2 result/sheet.pc2.partial
head -n 18 result/report.json >result/report.json.partial
printf ',{"step": 18, "fra' >>result/report.json.partial
expect 0 info result
lists 'frames 3 of 6 are done; unless it is still running, resume with: muslin run result --resume' \
  'cloth sheet.obj, sheet.pc2.partial, sheet.mdd, sheet/, sheet.usda, sheet.pvd' 'steps 17, 0 of them halved, 0 solves retried'
expect 0 info result/sheet.pc2.partial
lists 'samples 7'
head -c 1000 result/checkpoint_000006.bin >cut.bin
refuses 'cut.bin' cut.bin
head -c 500 result/sheet.mdd >cut.mdd
refuses 'cut.mdd' cut.mdd

# --- matrices -----------------------------------------------------------------------------------------------------
printf '%%%%MatrixMarket matrix coordinate real symmetric\n4 4 8\n1 1 2\n2 1 1\n2 2 2\n3 3 2\n4 3 1\n4 4 2\n3 2 1\n4 1 1\n' >m.mtx
expect 0 info m.mtx
lists 'm.mtx: a sparse matrix' 'size 4 x 4' 'non-zeros 12, 3.0 per row' 'symmetric yes' 'block size 1, judging by where the entries are'
printf '%%%%MatrixMarket matrix coordinate real general\n4 4 8\n1 1 2\n1 2 1\n2 1 1\n2 2 2\n3 3 2\n3 4 1\n4 3 0.5\n4 4 2\n' >g.mtx
expect 0 info g.mtx
lists 'symmetric no: entries differ from their mirror images by up to 0.25 of the largest' \
  'block size 2, judging by where the entries are'
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n2\n' >b.mtx
expect 0 info b.mtx
lists 'b.mtx: a dense matrix' 'size 2 x 1'
refuses 'bad_nan|bad_value_nan' "$source/tests/data/matrix_market/bad_value_nan.mtx"

# --- closed streams -----------------------------------------------------------------------------------------------
# What is printed goes nowhere then, least of all into a file that has taken the stream's place.
expect 0 run drooping --vertices 25 --frames 3 -o open
"$muslin" run drooping --vertices 25 --frames 3 -o closed <&- >&- 2>&-
last='muslin run with closed streams'
for file in sheet.pc2 sheet.obj; do
  holds "$file differs" cmp open/$file closed/$file
done
expect 0 info closed/report.json
lists 'closed/report.json: the report of a run, complete'

# --- what is none of these ----------------------------------------------------------------------------------------
head -c 3000 /dev/urandom | tr -d '{' >noise.bin
refuses 'noise.bin: is of an unknown kind: give a mesh \(OBJ, PLY, glTF\), a solid \(Gmsh, Medit, VTK, TetGen\), a scene' noise.bin
: >empty
refuses 'empty: is of an unknown kind' empty
refuses 'nothing: there is neither such a file nor a built-in scene' nothing
refuses 'is not a folder written by a run' .
refuses '/dev/null: is not a plain file or a folder' /dev/null
expect 2 info
expect 2 info a b
expect 0 info --help

# --- garments and matrices ----------------------------------------------------------------------------------------
if [ -d "$data" ]; then
  expect 0 info "$data/garments/codim-ipc/skirt8K.obj.gz"
  lists 'vertices 8121' 'triangles 15858' 'defects none'
  expect 0 info "$data/matrices/bcsstk16.mtx.gz"
  lists 'size 4884 x 4884' 'symmetric yes' 'block size 3, judging by where the entries are'
else
  echo "skipped: there is no $data, so no garment and no matrix from there was looked at"
fi

conclude
