# shellcheck shell=bash
# Whole linearised steps on the GPU and on all cores: medians over steps of 2 ms, tolerance 1e-5, without contact, and for
# "ball" with contact of vertices and a ball that a sheet falls onto.
# QUICK=1: small sizes only.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
corner='{"where": {"box": [-0.6, -1, -1, -0.4999, 1, 1]}}, {"where": {"box": [-1, -1, -0.6, 1, 1, -0.4999]}}'
around=$corner', {"where": {"box": [0.4999, -1, -1, 0.6, 1, 1]}}, {"where": {"box": [-1, -1, 0.4999, 1, 1, 0.6]}}'

# row SCENE VERTICES STEPS PINS [DEVICE...], ten steps to a frame: after each frame, hierarchies are made anew
row() {
  local scene=$1 vertices=$2 steps=$3 pins=$4 device
  shift 4
  local contact='"contact": false' speed=
  if [ "$scene" = ball ]; then
    contact='"contact_with": "bodies", "bodies": [{"shape": {"kind": "sphere", "radius": 0.3}, "translate": [0, -0.302, 0]}]'
    speed='"velocity": [0, -0.5, 0], '
  fi
  echo '{'"$contact"', "time_step": 0.002, "frame_rate": 50, "frames": '"$((steps / 10))"', "cloths": [{'"$speed"'"shape": {"vertices": '"$vertices"'}, "pins": ['"$pins"']}]}' >"$folder/$scene.json"
  for device in "$@"; do
    program muslin run "$folder/$scene.json" --device "$device" --checkpoint 0 -o "$folder/$scene-$vertices-$device" \
      >"$folder/text" 2>&1 || { cat "$folder/text" >&2; return 1; }
  done
  python3 - "$scene" "$vertices" "$folder/$scene-$vertices" "$@" <<'END_OF_PYTHON'
import json, statistics, sys
scene, vertices, folder, *devices = sys.argv[1:]
stages = ["assemble", "setup", "prefilter", "solve", "other"]
def read(device):
    report = json.load(open(f"{folder}-{device}/report.json"))
    steps = report["steps"][3:]
    part = {s: 1e3 * statistics.median(step["seconds"][s] for step in steps) for s in stages}
    part["limit"] = 1e3 * statistics.median(step["seconds"]["limit"] for step in steps)
    whole = 1e3 * statistics.median(sum(step["seconds"][s] for s in stages + ["limit", "detect", "respond"]) for step in steps)
    return report, part, whole, statistics.mean(step["iterations"] for step in steps)
there, part, whole, iterations = read(devices[0])
device = there["summary"]["device"]
host = read(devices[1]) if len(devices) > 1 else None
print("| " + " | ".join(
    [f"{scene}, {int(vertices):,}", f"{device['steps']} of {there['summary']['steps']}", f"{iterations:.1f}",
     f"{part['assemble']:.2f}", f"{part['setup']:.2f}", f"{part['solve']:.2f}", f"{part['other']:.2f}", f"{whole:.2f}",
     f"{1e3 * device['download']:.2f}", f"{host[3]:.1f}" if host else "", f"{host[2]:.1f}" if host else "",
     f"{host[2] / whole:.1f}" if host else "", f"{device['bytes'] / int(vertices):.0f}"]) + " |")
END_OF_PYTHON
}

echo 'Milliseconds per step; `steps` counts whole ones on the GPU:'
echo
echo '| scene, vertices | steps | iterations | assembly | renewal | solve | move, measure, download | whole | download | all cores: iterations | whole | ratio | bytes per vertex |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
device=${DEVICE:-cuda}
row drooping 40401 30 "$corner" "$device" cpu || exit 1
row ball 40401 50 '' "$device" cpu || exit 1
[ "${QUICK:-0}" != 0 ] && exit 0
row drooping 120409 30 "$corner" "$device" cpu || exit 1
row pinned 120409 30 "$around" "$device" cpu || exit 1
row ball 120409 50 '' "$device" cpu || exit 1
row pinned 1002001 20 "$around" "$device" || exit 1
