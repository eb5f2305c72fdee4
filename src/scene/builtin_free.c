// Built-in scenes in which cloth meets hardly anything. See builtin.h.
//
// pinned, drooping and re-entrant are those of Tamstorf et al. 2015, section 10 (1 m x 1 m, cotton, 2 ms). They say of
// drooping that the cloth "is pinned on two sides", not which two: between opposite sides it would hang as tight as a
// drum, so they are taken to meet in a corner. corners is the experiment of Ascher and Boxerman 2003, section 5, who do
// not tell mesh, stiffness, amplitude and frequency: these were chosen so that the original algorithm needs about as
// many iterations as theirs. The curtain's hooks are where every size of sheet whose cells divide by ten has vertices,
// and wide enough for any other size from 31 x 31; they stand to the front and to the back in turn, so that pleats know
// where to go.
#include "scene/builtin.h"

const mus_builtin mus_builtin_free[] = {
    {"pinned", "a sheet held along its whole boundary sags",
     "{\"name\": \"pinned\", \"frames\": 24,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"pins\": [{\"where\": {\"boundary\": true}}]}]}\n"},
    {"drooping", "a sheet held along two adjacent sides droops from them",
     "{\"name\": \"drooping\", \"frames\": 48,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.6, -1, -0.6, -0.4999, 1, 0.6]}},\n"
     "   {\"where\": {\"box\": [-0.6, -1, -0.6, 0.6, 1, -0.4999]}}]}]}\n"},
    {"re-entrant", "an L-shaped sheet held along its inner corner",
     "{\"name\": \"re-entrant\", \"frames\": 48,\n"
     " \"cloths\": [{\"name\": \"sheet\", \"shape\": {\"kind\": \"L\"}, \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.0001, -1, -0.0001, 0.0001, 1, 1]}},\n"
     "   {\"where\": {\"box\": [-0.0001, -1, -0.0001, 1, 1, 0.0001]}}]}]}\n"},
    {"corners", "a sheet whose four corners move up and down: original against corrected MPCG",
     "{\"name\": \"corners\", \"frames\": 100, \"frame_rate\": 20, \"time_step\": 0.05,\n"
     " \"solver\": {\"method\": \"mpcg\", \"tolerance\": 0.01},\n"
     " \"cloths\": [{\"name\": \"sheet\", \"model\": \"choi-ko\", \"shape\": {\"vertices\": 121},\n"
     "   \"stretch_scale\": 0.1, \"shear_scale\": 0.1, \"pins\": [\n"
     "     {\"where\": {\"box\": [-0.6, -1, -0.6, -0.4999, 1, -0.4999]},\n"
     "      \"amplitude\": [0, 0.1, 0], \"frequency\": 0.3},\n"
     "     {\"where\": {\"box\": [0.4999, -1, -0.6, 0.6, 1, -0.4999]},\n"
     "      \"amplitude\": [0, 0.1, 0], \"frequency\": 0.3},\n"
     "     {\"where\": {\"box\": [-0.6, -1, 0.4999, -0.4999, 1, 0.6]},\n"
     "      \"amplitude\": [0, 0.1, 0], \"frequency\": 0.3},\n"
     "     {\"where\": {\"box\": [0.4999, -1, 0.4999, 0.6, 1, 0.6]},\n"
     "      \"amplitude\": [0, 0.1, 0], \"frequency\": 0.3}]}]}\n"},
    {"flag", "a flag on a pole in gusty wind",
     "{\"name\": \"flag\", \"frames\": 120, \"wind\": [4, 0, 1], \"gust\": 0.8,\n"
     " \"bodies\": [{\"name\": \"pole\", \"shape\": {\"kind\": \"capsule\", \"radius\": 0.02, \"length\": 1.8, "
     "\"facet\": 0.001},\n"
     "   \"translate\": [-0.775, 0.75, 0]}],\n"
     " \"cloths\": [{\"name\": \"flag\", \"fabric\": \"silk\", \"shape\": {\"size\": [1.5, 1]}, \"rotate\": [90, 0, "
     "0],\n"
     "   \"translate\": [0, 1, 0], \"pins\": [{\"where\": {\"box\": [-0.8, 0, -1, -0.7499, 2, 1]},\n"
     "     \"body\": \"pole\"}]}]}\n"},
    {"curtain", "a curtain is drawn aside into pleats",
     "{\"name\": \"curtain\", \"frames\": 96,\n"
     " \"bodies\": [{\"name\": \"rod\", \"shape\": {\"kind\": \"capsule\", \"radius\": 0.015, \"length\": 2.2, "
     "\"facet\": 0.001},\n"
     "   \"rotate\": [0, 0, 90], \"translate\": [0, 2.03, 0]}],\n"
     " \"cloths\": [{\"name\": \"curtain\", \"fabric\": \"wool\", \"shape\": {\"size\": [2, 2]}, \"rotate\": [90, 0, "
     "0],\n"
     "   \"translate\": [0, 1, 0], \"pins\": [\n"
     "     {\"where\": {\"box\": [-1.033, 1.9999, -1, -0.967, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [0, 0, -0.05]}]},\n"
     "     {\"where\": {\"box\": [-0.833, 1.9999, -1, -0.767, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.08, 0, 0.05]}]},\n"
     "     {\"where\": {\"box\": [-0.633, 1.9999, -1, -0.567, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.16, 0, -0.05]}]},\n"
     "     {\"where\": {\"box\": [-0.433, 1.9999, -1, -0.367, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.24, 0, 0.05]}]},\n"
     "     {\"where\": {\"box\": [-0.233, 1.9999, -1, -0.167, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.32, 0, -0.05]}]},\n"
     "     {\"where\": {\"box\": [-0.033, 1.9999, -1, 0.033, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.4, 0, 0.05]}]},\n"
     "     {\"where\": {\"box\": [0.167, 1.9999, -1, 0.233, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.48, 0, -0.05]}]},\n"
     "     {\"where\": {\"box\": [0.367, 1.9999, -1, 0.433, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.56, 0, 0.05]}]},\n"
     "     {\"where\": {\"box\": [0.567, 1.9999, -1, 0.633, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.64, 0, -0.05]}]},\n"
     "     {\"where\": {\"box\": [0.767, 1.9999, -1, 0.833, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.72, 0, 0.05]}]},\n"
     "     {\"where\": {\"box\": [0.967, 1.9999, -1, 1.033, 2.1, 1]},\n"
     "      \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 3, \"value\": [-0.8, 0, -0.05]}]}]}]}\n"}};

const int mus_builtin_free_count = sizeof mus_builtin_free / sizeof *mus_builtin_free;
