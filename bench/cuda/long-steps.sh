# Steps of 1/30 s as minima on the GPU: newton-sa, to the accuracy that the method of Wang et al. 2018 (fmg:plain) has after
# as many cycles as they take, on cloths of their sizes without contact, which their times leave out. Milliseconds are
# medians; "all cores" is one run of as many iterations, and left out with CORES=0. QUICK=1: two cloths.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
runs=${RUNS:-21}

cat >"$folder/sphere.json" <<'END'
{"name": "sphere", "contact": false,
 "cloths": [{"shape": {"size": [1.2, 1.2]}, "pins": [{"where": {"sphere": [0, 0, 0, 0.25]},
   "turn": [{"time": 0, "value": [0, 0, 0]}, {"time": 4, "value": [0, 540, 0]}]}]}]}
END
cat >"$folder/dress.json" <<'END'
{"name": "dress", "contact": false, "wind": [1, 0, 0.5], "gust": 0.3,
 "cloths": [{"fabric": "silk", "shape": {"kind": "tube", "size": [1.6, 1.3]}, "rotate": [0, 0, 90],
   "pins": [{"where": {"box": [-1, 0.6499, -1, 1, 1, 1]}, "amplitude": [0.05, 0, 0.05], "frequency": 1}]}]}
END
cat >"$folder/gown.json" <<'END'
{"name": "gown", "contact": false,
 "cloths": [{"shape": {"kind": "tube", "size": [2.4, 1.2]}, "rotate": [0, 0, 90],
   "pins": [{"where": {"box": [-1, 0.5999, -1, 1, 1, 1]},
     "turn": [{"time": 0, "value": [0, 0, 0]}, {"time": 2, "value": [0, 180, 0]}]}]}]}
END
python3 - "$folder/curtain.json" <<'END'
import json, sys
pins = [{"where": {"box": [x - 0.04, 0.9999, -1, x + 0.04, 1.1, 1]},
         "offset": [{"time": 0, "value": [0, 0, 0]}, {"time": 3, "value": [-0.4 * (x + 1), 0, 0.05 * (-1) ** k]}]}
        for k, x in enumerate([-1 + 0.2 * k for k in range(11)])]
cloth = {"fabric": "wool", "shape": {"size": [2, 2]}, "rotate": [90, 0, 0], "pins": pins}
json.dump({"name": "curtain", "contact": False, "cloths": [cloth]}, open(sys.argv[1], "w"))
END

# row SCENE VERTICES CYCLES: theirs
row() {
  local file=$folder/$1.json there=$folder/$1-there.json here=$folder/$1-here.json
  program muslin bench --nonlinear --device cuda --example "$file" --vertices "$2" --methods newton-sa,fmg:plain \
    --iterations 8 --median "$runs" --json "$there" >"$folder/text" 2>&1 ||
    { cat "$folder/text" >&2; return 1; }
  [ "${CORES:-1}" = 0 ] ||
    program muslin bench --nonlinear --device cpu --example "$file" --vertices "$2" --methods newton-sa,fmg:plain \
      --iterations 3 --reference none --json "$here" >"$folder/text" 2>&1 ||
    { cat "$folder/text" >&2; return 1; }
  python3 - "$1" "$3" "$there" "$here" <<'END'
import json, os, sys
scene, cycles, there = sys.argv[1], int(sys.argv[2]), json.load(open(sys.argv[3]))
here = json.load(open(sys.argv[4]))["results"] if os.path.exists(sys.argv[4]) else None
newton, paper = there["results"]
least = there["minimum"]
def errors(r):
    return [(e - least) / (r["energy"][0] - least) for e in r["energy"]]
def reach(r, error):
    found = errors(r)
    for k in range(len(found)):
        if max(found[k:]) <= error:
            return k, f"{k}, {1e3 * r['seconds'][k]:.2f}"
    return 0, "–"
def cores(which, k):
    return f"{1e3 * here[which]['seconds'][k]:.0f}" if here and 0 < k < len(here[which]["seconds"]) else "–"
asked = errors(paper)[min(cycles, len(paper["energy"]) - 1)]
count, text = reach(newton, asked)
print("| " + " | ".join([f"{scene}, {there['vertices']:,}", f"{cycles}, {1e3 * paper['seconds'][cycles]:.2f}",
      f"{asked:.2%}", text, reach(newton, 1e-2)[1], reach(newton, 1e-3)[1], reach(paper, 1e-2)[1],
      cores(0, count), cores(1, cycles)]) + " |")
END
}

echo '| cloth, vertices | fmg:plain: cycles, ms | error then | newton-sa: iterations, ms to it | to 1% | to 0.1% | fmg:plain to 1% | all cores: newton-sa, ms | fmg:plain, ms |'
echo '|---|---|---|---|---|---|---|---|---|'
row curtain 40000 1 || exit 1
row sphere 120000 2 || exit 1
[ "${QUICK:-0}" != 0 ] && exit
row dress 132000 3 || exit 1
row gown 104000 3 || exit 1
