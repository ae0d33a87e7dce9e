#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Draws a trace of `livecap shoot --trace` or `livecap run --trace` as an SVG picture, for documentation.
# Usage: trace.py TRACE.json PICTURE.svg [FROM-MS [TO-MS]]    Times are relative to the first tap.
import json
import sys

WIDTH, LEFT, ROW = 1000, 150, 18
COLOURS = {
    "wait for frames": "#b8c4d6", "read frame": "#7fb069", "fuse": "#3a6ea5", "encode": "#e6994c", "store": "#c94f4f",
}


def load(path):
    text = open(path).read().rstrip()
    return json.loads(text if text.endswith("]") else text.rstrip(",") + "]")


def lanes(events):
    """Rows of (name, spans, instants), in the order in which they are drawn."""
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    rows = []
    for tid, name in sorted(names.items()):
        if name not in ("frames", "taps"):
            continue
        rows.append((name, [], [e["ts"] for e in events if e["ph"] == "i" and e["tid"] == tid]))
    shots, begun = {}, {}
    for event in events:
        if event["ph"] not in "be" or event.get("cat") != "shot":
            continue
        key = (event["id"], event["name"])
        if event["ph"] == "b":
            begun[key] = event["ts"]
        elif key in begun:
            shots.setdefault(event["id"], []).append((event["name"], begun.pop(key), event["ts"]))
    workers = {}
    for event in events:
        if event["ph"] == "X":
            span = (event["name"], event["ts"], event["ts"] + event["dur"])
            shot = event.get("args", {}).get("shot")
            workers.setdefault(names.get(event["tid"], "?"), []).append(span)
            if shot is not None:
                shots.setdefault(hex(shot), []).append(span)
    for shot in sorted(shots, key=lambda s: int(s, 16)):
        spans = [s for s in shots[shot] if not s[0].startswith("shot ")]
        rows.append((f"shot {int(shot, 16)}", spans, []))
    rows += [(name, spans, []) for name, spans in sorted(workers.items())]
    return rows


def draw(rows, first, last):
    def x(time):
        return LEFT + (min(max(time, first), last) - first) / (last - first) * (WIDTH - LEFT - 10)

    height = ROW * (len(rows) + 3)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for number, (name, spans, instants) in enumerate(rows):
        top = ROW * number + 4
        out.append(f'<text x="4" y="{top + 12}">{name}</text>')
        for label, begin, end in sorted(spans, key=lambda s: s[1] - s[2]):
            if end >= first and begin <= last:
                out.append(f'<rect x="{x(begin):.1f}" y="{top + 2}" width="{max(0.5, x(end) - x(begin)):.1f}" '
                           f'height="{ROW - 5}" fill="{COLOURS.get(label, "#999999")}"><title>{label}</title></rect>')
        for time in instants:
            if first <= time <= last:
                out.append(
                    f'<rect x="{x(time) - 0.5:.1f}" y="{top + 2}" width="1.5" height="{ROW - 5}" fill="#333333"/>')
    top = ROW * len(rows) + 6
    step = next(s for s in (10, 20, 50, 100, 200, 500, 1000, 5000, 60000) if (last - first) / 1000 / s <= 12) * 1000
    for tick in range(int((last - first) // step) + 1):
        at = x(first + tick * step)
        out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{top}" stroke="#dddddd" stroke-width="0.5"/>')
        out.append(f'<text x="{at:.1f}" y="{top + 10}" fill="#555555">{tick * step // 1000} ms</text>')
    at = LEFT
    for label, colour in COLOURS.items():
        out.append(f'<rect x="{at}" y="{top + 18}" width="10" height="10" fill="{colour}"/>')
        out.append(f'<text x="{at + 14}" y="{top + 27}">{label}</text>')
        at += 24 + 7 * len(label)
    return "\n".join(out + ["</svg>"])


def main():
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__ or "usage: trace.py TRACE.json PICTURE.svg [FROM-MS [TO-MS]]")
    events = load(sys.argv[1])
    start = min(e["ts"] for e in events if e["ph"] == "i" and e["name"] == "tap")
    bounds = [start + 1000 * float(ms) for ms in sys.argv[3:]]
    first = bounds[0] if bounds else start
    last = bounds[1] if len(bounds) > 1 else max(e["ts"] for e in events if "ts" in e)
    with open(sys.argv[2], "w") as picture:
        picture.write(draw(lanes(events), first, last) + "\n")


main()
