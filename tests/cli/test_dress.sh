#!/usr/bin/env bash
# A real dress with its stitches on a dancing body, two frames of it: nothing may intersect that did not at the start.
# Skipped (77) without the data, see script/prepare-dress. docs/contact.md tells of all its frames.
#
#   test_dress.sh MUSLIN SOURCE_FOLDER
set -u
muslin=$1 source=$2
# shellcheck source-path=SCRIPTDIR source=program.sh
. "$(dirname "$0")/program.sh"

"$source/script/prepare-dress" "$source/../shared/data" prepared || exit 77
expect 0 run prepared/scene.json -o out --frames 2 --time-step 0.008
says out '2 frames of 15656 vertices'
says out 'seams: [0-9] of 851 stitches open; closed ones gape by [0-9.]+e-[0-9]+ mm at most'
expect 0 weld out
says out 'welded 84[0-9] of 851 stitches in 3 frames'
expect 0 check out --new
says out '0 cloth-body'
says out '0 new since frame 0'
conclude
