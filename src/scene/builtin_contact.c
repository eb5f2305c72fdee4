// Built-in scenes in which cloth meets bodies, other cloth and itself. See builtin.h.
//
// drop-horizontal and drop-vertical are those of Tamstorf et al. 2015, section 10, who do not tell the sizes of box and
// hole; the upright sheet leans by two degrees, so that it does not stand on its edge. sphere and funnel follow Wang et
// al. 2018, figures 14 and 1. dressed is sewn together without weight, before the mannequin begins to walk. All starts
// are free of intersections.
#include "scene/builtin.h"

const mus_builtin mus_builtin_contact[] = {
    {"drop-horizontal", "a sheet falls flat onto a box with a hole",
     "{\"name\": \"drop-horizontal\", \"frames\": 48,\n"
     " \"bodies\": [{\"name\": \"box\", \"translate\": [0, 0.15, 0], \"friction\": 0.15,\n"
     "    \"shape\": {\"kind\": \"box-with-hole\", \"size\": [0.85, 0.3, 0.85], \"radius\": 0.27}}],\n"
     " \"cloths\": [{\"name\": \"sheet\", \"translate\": [0, 0.5, 0]}]}\n"},
    {"drop-vertical", "an upright sheet falls onto a box with a hole and folds",
     "{\"name\": \"drop-vertical\", \"frames\": 72,\n"
     " \"bodies\": [\n"
     "   {\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 4]}},\n"
     "   {\"name\": \"box\", \"translate\": [0, 0.15, 0], \"friction\": 0.15,\n"
     "    \"shape\": {\"kind\": \"box-with-hole\", \"size\": [0.85, 0.3, 0.85], \"radius\": 0.27}}],\n"
     " \"cloths\": [{\"name\": \"sheet\", \"rotate\": [88, 25, 0], \"translate\": [0, 0.85, 0]}]}\n"},
    {"sphere", "a tablecloth falls onto a sphere, which then rotates and carries it along",
     "{\"name\": \"sphere\", \"frames\": 96,\n"
     " \"bodies\": [\n"
     "   {\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 4]}},\n"
     "   {\"name\": \"sphere\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.3}, \"translate\": [0, 0.35, 0], "
     "\"friction\": 0.6,\n"
     "    \"rotate\": [{\"time\": 0.8, \"value\": [0, 0, 0]}, {\"time\": 4, \"value\": [0, 540, 0]}]}],\n"
     " \"cloths\": [{\"name\": \"tablecloth\", \"shape\": {\"size\": [1.2, 1.2]}, \"translate\": [0, 0.68, 0]}]}\n"},
    {"funnel", "a ball pushes a sheet through a funnel",
     "{\"name\": \"funnel\", \"frames\": 96,\n"
     " \"bodies\": [\n"
     "   {\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 4]}},\n"
     "   {\"name\": \"funnel\", \"translate\": [0, 0.9, 0],\n"
     "    \"shape\": {\"kind\": \"funnel\", \"size\": [0.9, 0.5, 0.9], \"radius\": 0.15}, \"friction\": 0.15},\n"
     "   {\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.07},\n"
     "    \"translate\": [{\"time\": 0.25, \"value\": [0, 1.35, 0]}, {\"time\": 2.75, \"value\": [0, 0.35, 0]}]}],\n"
     " \"cloths\": [{\"name\": \"sheet\", \"translate\": [0, 1.22, 0]}]}\n"},
    {"twist", "the two ends of a cloth tube are twisted against each other",
     "{\"name\": \"twist\", \"frames\": 96, \"gravity\": [0, 0, 0],\n"
     " \"cloths\": [{\"name\": \"tube\", \"shape\": {\"kind\": \"tube\", \"size\": [1, 1.2]}, \"pins\": [\n"
     "   {\"where\": {\"box\": [-0.7, -1, -1, -0.5999, 1, 1]},\n"
     "    \"turn\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 4, \"value\": [-540, 0, 0]}],\n"
     "    \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 4, \"value\": [0.2, 0, 0]}]},\n"
     "   {\"where\": {\"box\": [0.5999, -1, -1, 0.7, 1, 1]},\n"
     "    \"turn\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 4, \"value\": [540, 0, 0]}],\n"
     "    \"offset\": [{\"time\": 0, \"value\": [0, 0, 0]}, {\"time\": 4, \"value\": [-0.2, 0, 0]}]}]}]}\n"},
    {"stack", "ten sheets fall onto a ball and each other",
     "{\"name\": \"stack\", \"frames\": 48,\n"
     " \"bodies\": [\n"
     "   {\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [4, 1, 4]}},\n"
     "   {\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.15}, \"translate\": [0, 0.16, 0]}],\n"
     " \"cloths\": [\n"
     "     {\"name\": \"sheet-1\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 0, 0],\n"
     "      \"translate\": [0, 0.36, 0]},\n"
     "     {\"name\": \"sheet-2\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 9, 0],\n"
     "      \"translate\": [0, 0.41, 0]},\n"
     "     {\"name\": \"sheet-3\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 18, 0],\n"
     "      \"translate\": [0, 0.46, 0]},\n"
     "     {\"name\": \"sheet-4\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 27, 0],\n"
     "      \"translate\": [0, 0.51, 0]},\n"
     "     {\"name\": \"sheet-5\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 36, 0],\n"
     "      \"translate\": [0, 0.56, 0]},\n"
     "     {\"name\": \"sheet-6\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 45, 0],\n"
     "      \"translate\": [0, 0.61, 0]},\n"
     "     {\"name\": \"sheet-7\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 54, 0],\n"
     "      \"translate\": [0, 0.66, 0]},\n"
     "     {\"name\": \"sheet-8\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 63, 0],\n"
     "      \"translate\": [0, 0.71, 0]},\n"
     "     {\"name\": \"sheet-9\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 72, 0],\n"
     "      \"translate\": [0, 0.76, 0]},\n"
     "     {\"name\": \"sheet-10\", \"shape\": {\"vertices\": 1020, \"size\": [0.8, 0.8]}, \"rotate\": [0, 81, 0],\n"
     "      \"translate\": [0, 0.81, 0]}]}\n"},
    {"tablecloth", "a tablecloth falls onto a table and drapes",
     "{\"name\": \"tablecloth\", \"frames\": 60,\n"
     " \"bodies\": [\n"
     "   {\"name\": \"table-top\", \"shape\": {\"kind\": \"box\", \"size\": [0.8, 0.04, 0.8]}, \"translate\": [0, 0.7, "
     "0]},\n"
     "   {\"name\": \"table-leg\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.68, 0.1]}, \"translate\": [0, "
     "0.34, 0]}],\n"
     " \"cloths\": [{\"name\": \"tablecloth\", \"shape\": {\"size\": [1.3, 1.3]}, \"translate\": [0, 0.78, 0]}]}\n"},
    {"dressed", "a mannequin in a dress stands, walks and runs",
     "{\"name\": \"dressed\", \"frames\": 108,\n"
     " \"gravity\": [{\"time\": 0.5, \"value\": [0, 0, 0]}, {\"time\": 0.7, \"value\": [0, -9.81, 0]}],\n"
     " \"bodies\": [\n"
     "   {\"name\": \"floor\", \"shape\": {\"kind\": \"plane\", \"size\": [20, 1, 20]}},\n"
     "   {\"name\": \"mannequin\", \"shape\": {\"kind\": \"mannequin\"}, \"rotate\": [0, 90, 0], \"friction\": 0.4}],\n"
     " \"cloths\": [{\"name\": \"dress\", \"close\": 0.5,\n"
     "   \"shape\": {\"kind\": \"garment\", \"around\": \"mannequin\"}}]}\n"}};

const int mus_builtin_contact_count = sizeof mus_builtin_contact / sizeof *mus_builtin_contact;
