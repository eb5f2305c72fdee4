# shellcheck shell=bash
# How far runs on the GPU end from those on the CPU, after 100 steps without contact, to tight tolerances; and whether
# a second run on the GPU ends with the same bytes. Positions in caches are in single precision: 6e-8 m at 1 m.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
device=${DEVICE:-cuda}
edge='{"where": {"box": [-0.6, -1, -1, -0.4999, 1, 1]}}'

# row NAME SCENE
row() {
  local name=$1 run
  echo "$2" >"$folder/scene.json"
  for run in cpu "$device" again; do
    program muslin run "$folder/scene.json" --device "${run/again/$device}" --checkpoint 0 -o "$folder/$run" \
      >"$folder/text" 2>&1 || { cat "$folder/text" >&2; return 1; }
  done
  python3 - "$name" "$folder/cpu" "$folder/$device" "$folder/again" <<'END' || return 1
import array, glob, json, math, sys
name, *folders = sys.argv[1:]
def end(folder):
    data = open(min(glob.glob(folder + "/*.pc2"), key=len), "rb").read()
    points = array.array("f", data[32:])
    vertices = int.from_bytes(data[16:20], "little")
    return points[-3 * vertices:], vertices
(here, vertices), (there, _), (again, _) = map(end, folders)
farthest = max(math.dist(here[i:i + 3], there[i:i + 3]) for i in range(0, 3 * vertices, 3))
summary = json.load(open(folders[1] + "/report.json"))["summary"]
print(f"| {name} | {vertices:,} | {summary['device']['steps']} of {summary['steps']} | {farthest:.1e} | {'yes' if there == again else 'no'} |")
END
  rm -rf "${folder:?}/cpu" "${folder:?}/$device" "$folder/again"
}

# scene SETTINGS PARTS: 100 frames of a step each
scene() {
  echo '{"contact": false, "frame_rate": 500, "time_step": 0.002, "frames": 100, "solver": {"tolerance": 1e-10}, '"$1, $2"'}'
}

sheet='"cloths": [{"shape": {"vertices": 10201}, "pins": ['"$edge"']}]'
still='"air_density": 0, '"$sheet"
beam='"solids": [{"shape": {"kind": "box", "size": [1, 0.2, 0.2], "vertices": 5000}, "pins": [{"where": {"box": [-9, -9, -9, -0.4999, 9, 9]}}]}]'
echo '| run | vertices | steps on the GPU | farthest from the CPU, m | same bytes twice |'
echo '|---|---|---|---|---|'
row 'cotton, euler' "$(scene '"integrator": "euler"' "$sheet")" || exit 1
row 'cotton, bdf2' "$(scene '"integrator": "bdf2"' "$sheet")" || exit 1
row 'rubber beam, euler' "$(scene '"integrator": "euler"' "$beam")" || exit 1
row 'cotton, projective' "$(scene '"integrator": "projective", "projective_iterations": 4' "$still")" || exit 1
