#!/usr/bin/env python3
"""demo_picture.py FOLDER FILE: FOLDER/curve.svg (glimpsectl plot) with an average digit and where the daemon looked, of
FOLDER/moments.json (/v1/moments), below it as FILE."""

import json
import re
import sys

FOLDER, FILE, SIDE = sys.argv[1], sys.argv[2], 28
PIXEL, TOP, GAP = 5, 34, 40  # of the two pictures, which stand beside the curve
LEVELS = 9

with open(f"{FOLDER}/moments.json", encoding="utf-8") as answer:
    rows = json.load(answer)["moments"]
with open(f"{FOLDER}/curve.svg", encoding="utf-8") as answer:
    curve = answer.read()

width, height = (int(re.search(rf'<svg [^>]*{name}="(\d+)"', curve).group(1)) for name in ("width", "height"))
SIZE = SIDE * PIXEL


def drawn(title, values, left, top):
    """Pixels of the same level that stand side by side are one rectangle; level 0 is paper."""
    most = max(values) or 1
    lines = [f'<text x="{left}" y="{top - 8}">{title}</text>',
             f'<rect class="paper" x="{left}" y="{top}" width="{SIZE}" height="{SIZE}"/>']
    levels = [round(LEVELS * value / most) for value in values]
    for row in range(SIDE):
        begin = 0
        line = levels[SIDE * row:SIDE * (row + 1)]
        for column in range(1, SIDE + 1):
            if column < SIDE and line[column] == line[begin]:
                continue
            if line[begin]:
                lines.append(f'<rect class="ink" x="{left + PIXEL * begin}" y="{top + PIXEL * row}" '
                             f'width="{PIXEL * (column - begin)}" height="{PIXEL}" '
                             f'fill-opacity="{line[begin] / LEVELS:.2f}"/>')
            begin = column
    return lines


style = "<style>.paper{fill:none;stroke:currentColor;stroke-opacity:.3}.ink{fill:currentColor}</style>"
pictures = [style]
for number, (title, name) in enumerate((("an average digit", "mean"), ("where it looked", "probability"))):
    pictures += drawn(title, [row[name] or 0 for row in rows], width, TOP + number * (SIZE + GAP))
whole = width + SIZE + 24
# The daemon counts its phases from 1, in which all attributes are drawn alike. Those after the change, which it marks
# where it sees them, stand too close to the change to be told.
MARK = r'<line class="mark"[^>]*>\n(?:<text class="small[^>]*>phase \d+</text>\n){2}'
first = re.search(MARK, curve).end()
text = curve[:first].replace(">phase 2<", ">looks are chosen from here on<") + re.sub(MARK, "", curve[first:])
text = text.replace(f'width="{width}"', f'width="{whole}"', 1)
text = text.replace(f'viewBox="0 0 {width} {height}"', f'viewBox="0 0 {whole} {height}"', 1)
text = text.replace("</svg>", "\n".join(pictures) + "\n</svg>")
with open(FILE, "w", encoding="utf-8") as file:
    file.write(text)
