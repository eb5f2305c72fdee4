#!/usr/bin/env bash
# Drives the program: muslin render on good and bad input, run --preview, and the commands of docs/pictures.md.
#
#   test_render.sh MUSLIN SOURCE_FOLDER
#
# Where Embree is not built in, only what is refused is tested; where there is no ffmpeg, videos are left out.
set -u
muslin=$1 source=$2
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

# refuses STATUS PATTERN ARGUMENTS...: fails with one line that matches, and leaves no file.
refuses() {
  local wanted=$1 pattern=$2 before
  shift 2
  before=$(find . | sort)
  expect "$wanted" render "$@"
  says err "$pattern"
  holds 'says more than a line' [ "$(wc -l <"$said/err")" -le 2 ]
  holds 'left a file behind' [ "$before" = "$(find . | sort)" ]
}

# Little work, for the machine that tests may be slow.
small=(--size 96x54 --samples 1)
run() { expect 0 run "$@" --vertices 121; }

run flag --frames 3 -o flag
run flag --frames 3 -o bare
cp flag/flag.pc2 shorter.pc2
run drooping --frames 1 -o sheet

# --- bad input ------------------------------------------------------------------------------------------------------
refuses 2 'no result given: name a result folder or a mesh' -o a.png
refuses 2 'no output given: use -o' flag
refuses 2 'ends in .png \(a picture\) or .mp4' flag -o a.gif
refuses 2 'nowhere: there is no such result folder or mesh' nowhere -o a.png
refuses 2 'it contains no scene.json' . -o a.png
refuses 2 'there is no frame 4: it has frames 0 to 3' flag -o a.png --frame 4
refuses 2 'there is no frame -5' flag -o a.png --frame -5
refuses 2 "--frame: 'x' is not a whole number" flag -o a.png --frame x
refuses 2 'there is no frame 9' flag -o a.mp4 --frames 2-9
refuses 2 "--frames: '3-1' is neither FIRST-LAST" flag -o a.mp4 --frames 3-1
refuses 2 'are for several frames' flag -o a.png --frames 0-2
refuses 2 '--frame is for a single picture' flag -o a.mp4 --frame 2
refuses 2 "--size: '96' is not WIDTHxHEIGHT" flag -o a.png --size 96
refuses 2 '99999 x 54 pixels' flag -o a.png --size 99999x54
refuses 2 'give 1, 4 or 16' flag -o a.png --samples 5
refuses 2 "--look: 'tartan' is not one of fabric, plain, checker" flag -o a.png --look tartan
refuses 2 "--colour: 'red' is not RRGGBB" flag -o a.png --colour red
refuses 2 "--heat: 'cold' is not one of none, stretch, bend, residual, stress, volume" flag -o a.png --heat cold
refuses 2 "--range: '3:1' is not LOW:HIGH" flag -o a.png --heat bend --range 3:1
refuses 2 '--range needs --heat' flag -o a.png --range 0:1
refuses 2 'has no residuals: run the scene with --residual' flag -o a.png --heat residual
refuses 2 "--show: 'all' is not one of nothing, contacts" flag -o a.png --show all
refuses 2 '--show and --heat cannot be combined' flag -o a.png --show contacts --heat bend
refuses 2 "--camera: '1,2' is not X,Y,Z" flag -o a.png --camera 1,2
refuses 2 'a field of view of 180 degrees' flag -o a.png --camera 1,2,3:0,0,0:180
refuses 2 'has its own caches: do not give another' flag --cache shorter.pc2 -o a.png
refuses 2 'shorter.pc2 has [0-9]+ vertices, but sheet/sheet.obj has [0-9]+' sheet/sheet.obj --cache shorter.pc2 -o a.png
refuses 2 'none.pc2' sheet/sheet.obj --cache none.pc2 -o a.png
refuses 2 'unknown option --colr; did you mean --colour\?' flag -o a.png --colr 102030
truncate -s -100 shorter.pc2
refuses 2 'shorter.pc2' flag/flag.obj --cache shorter.pc2 -o a.png
rm bare/flag.pc2
refuses 2 'there is neither flag.pc2 nor flag.mdd' bare -o a.png

if "$muslin" render flag -o probe.png "${small[@]}" 2>&1 | grep -q Embree; then
  echo "built without Embree: nothing is drawn"
  conclude
  exit
fi

# --- pictures -------------------------------------------------------------------------------------------------------
expect 0 render flag -o last.png "${small[@]}"
says out 'last.png: frame 3, [0-9]+ vertices'
expect 0 render flag -o first.png --frame 0 "${small[@]}"
holds 'the first frame looks like the last' eval '! cmp -s first.png last.png'
expect 0 render flag/flag.obj --cache flag/flag.pc2 -o mesh.png "${small[@]}"
says out 'frame 3'
expect 0 render flag/flag.obj -o mesh.png "${small[@]}"
says out 'frame 0'
expect 0 render flag -o "s_###.png" --frames 1- --every 2 "${small[@]}"
holds 'pictures of other frames' [ "$(echo s_*)" = 's_001.png s_003.png' ]
says err 'frame 2 of 2'
expect 0 render flag -o heat.png --heat stretch --range -1:1 "${small[@]}"
says out 'stretch: -1 to 1 %'
expect 0 render flag -o contacts.png --show contacts "${small[@]}"
says out 'contacts: 0 pairs of triangles intersect'
# Solids have colours and heat maps of their own.
cat >soft.json <<'END'
{ "frames": 3, "time_step": 0.01, "bodies": [{"shape": {"kind": "floor"}}],
  "cloths": [{"shape": {"vertices": 49, "size": [0.3, 0.3]}, "translate": [0, 0.3, 0]}],
  "solids": [{"name": "ball", "material": "gel", "shape": {"kind": "ball", "radius": 0.1, "vertices": 100},
              "translate": [0, 0.11, 0], "velocity": [0, -2, 0]},
             {"name": "block", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1], "vertices": 40}, "translate": [0.25, 0.06, 0]}] }
END
expect 0 run soft.json -o soft --preview
holds 'a preview of solids' test -s soft/preview.png
expect 0 render soft -o soft.png "${small[@]}"
expect 0 render soft -o softer.png --colour 204080 "${small[@]}"
holds 'a colour of solids' eval '! cmp -s soft.png softer.png'
expect 0 render soft -o squares.png --look checker --wireframe "${small[@]}"
expect 0 render soft -o stress.png --heat stress "${small[@]}"
says out '^stress: 0 to [0-9.e+]+ Pa$'
expect 0 render soft -o volume.png --heat volume --range -3:3 "${small[@]}"
says out '^volume: -3 to 3 %$'
expect 0 render soft -o strain.png --heat stretch "${small[@]}"
expect 0 render soft -o bent.png --heat bend "${small[@]}"
expect 0 render soft -o touching.png --show contacts "${small[@]}"
says out 'contacts: 0 pairs of triangles intersect'
expect 0 render soft -o other.png --heat stress --threads 1 "${small[@]}"
holds 'pictures of solids depend on threads' cmp -s stress.png other.png
expect 0 info soft/ball.stress.pc2
says out '^  last +von Mises stress [0-9.e+]+ to [0-9.e+]+ Pa, volume '
rm soft/block.stress.pc2
refuses 2 'soft: stresses are missing: run the scene again' soft -o a.png --heat stress
refuses 2 'flag: only solids have stresses, and there are none' flag -o a.png --heat volume

refuses 1 'cannot be written' flag -o nowhere/a.png "${small[@]}"

# A run that was killed is drawn as far as it is.
mv flag/flag.pc2 flag/flag.pc2.partial
truncate -s -100 flag/flag.pc2.partial
expect 0 render flag -o partial.png "${small[@]}"
says out 'frame 2'
truncate -s 40 flag/flag.pc2.partial
refuses 2 'no frame is finished yet' flag -o a.png
mv flag/flag.pc2.partial unfinished.pc2

# --- videos ---------------------------------------------------------------------------------------------------------
run flag --frames 3 -o flag
mkdir empty
search=$folder/empty refuses 1 'videos are made by ffmpeg, which was not found: install it' flag -o a.mp4 "${small[@]}"
if command -v ffmpeg ffprobe >/dev/null; then
  probe() { ffprobe -v error -select_streams v -show_entries "stream=$1" -of csv=p=0 "$2" | tr -d '\r,'; }
  expect 0 render flag -o a.mp4 "${small[@]}"
  says out 'a.mp4: 4 frames, 0 to 3'
  holds 'frames' [ "$(probe nb_frames a.mp4)" = 4 ]
  holds 'width' [ "$(probe width a.mp4)" = 96 ]
  holds 'height' [ "$(probe height a.mp4)" = 54 ]
  holds 'frames a second' [ "$(probe r_frame_rate a.mp4)" = 24/1 ]
  expect 0 render flag -o b.mp4 --frames 1-3 --every 2 --fps 10 "${small[@]}"
  holds 'frames' [ "$(probe nb_frames b.mp4)" = 2 ]
  holds 'frames a second' [ "$(probe r_frame_rate b.mp4)" = 10/1 ]
  expect 0 render flag -o b.mp4 --every 2 "${small[@]}"
  holds 'every second frame is not half as fast' [ "$(probe r_frame_rate b.mp4)" = 12/1 ]
  refuses 1 'the video cannot be written' flag -o nowhere/a.mp4 "${small[@]}"
fi

# --- previews -------------------------------------------------------------------------------------------------------
run flag --frames 1 -o alone
run flag --frames 1 -o watched --preview
holds 'the preview changes the result' cmp alone/flag.pc2 watched/flag.pc2
holds 'no picture' [ -s watched/preview.png ]
if command -v ffmpeg ffprobe >/dev/null; then
  holds 'frames' [ "$(probe nb_frames watched/preview.mp4)" = 2 ]
  holds 'something else was left' [ "$(echo watched/preview.*)" = 'watched/preview.mp4 watched/preview.png' ]
fi
search=$folder/empty run flag --frames 1 -o unwatched --preview
holds 'does not say once that ffmpeg is missing' [ "$(grep -c 'preview: .*ffmpeg, which was not found' "$said/err")" = 1 ]
holds 'no picture' [ -s unwatched/preview.png ]
holds 'a video' [ ! -e unwatched/preview.mp4 ]

# --- the manual -----------------------------------------------------------------------------------------------------
# Its commands as they are, but small.
if command -v ffmpeg >/dev/null; then
  awk 'on && /^```/ { on = 0 } on { print } /^```sh/ { on = 1 }' "$source/docs/pictures.md" >commands
  holds 'no commands in the manual' [ "$(wc -l <commands)" -gt 8 ]
  mkdir manual && cd manual || exit 1
  while read -r line; do
    line=${line#muslin }
    case $line in
    run*--preview*) line="$line --vertices 121 --frames 1" ;; # pictures of its own size
    run*) line="$line --vertices 121" ;;
    render*) line="$line --size 96x54 --samples 1" ;;
    esac
    eval "expect 0 $line"
  done <../commands
  cd ..
  # Every option is in the manual, and every option of its table is one.
  "$muslin" render --help | grep -oE -- '--[a-z-]+' | sort -u | grep -v -- '--help\|--residual' >known
  grep -oE '^\| `[^|]*' "$source/docs/pictures.md" | grep -oE -- '--[a-z-]+' | grep -v -- '--heat`' | sort -u >named
  last='docs/pictures.md'
  holds 'its options differ from the program'"'"'s' diff known named
fi

conclude
