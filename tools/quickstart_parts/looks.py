#!/usr/bin/env python3
"""looks.py FOLDER: of FOLDER/moments.json (/v1/moments) the mean and the chance to be looked at of each pixel, as
numbers (mean.txt, looks.txt) and as text beside each other."""

import json
import sys

FOLDER, SIDE = sys.argv[1], 28
with open(f"{FOLDER}/moments.json", encoding="ascii") as answer:
    rows = json.load(answer)["moments"]
pictures = {"mean": [r["mean"] or 0 for r in rows], "looks": [r["probability"] or 0 for r in rows]}
text = []
for name, values in pictures.items():
    lines = [values[SIDE * r:SIDE * (r + 1)] for r in range(SIDE)]
    with open(f"{FOLDER}/{name}.txt", "w", encoding="ascii") as file:
        file.writelines(" ".join(map(str, line)) + "\n" for line in lines)
    most = max(values) or 1
    # A character is about twice as high as it is wide.
    halves = [[(a + b) / 2 for a, b in zip(*lines[r:r + 2])] for r in range(0, SIDE, 2)]
    text.append(["".join(" .:-=+*#%@"[min(9, int(10 * v / most))] for v in line) for line in halves])
for left, right in zip(*text):
    print(f"  |{left}|      |{right}|")
