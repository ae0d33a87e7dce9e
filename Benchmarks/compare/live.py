#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `livecap live` with ffmpeg's filters for the noise of videos, on frames whose truth is known.

  live.py [--livecap PROGRAM] [--bursts DIR] [--frames N] [--size WxH] [--only TEXT] [--filters NAME,...]
          [--extra OPTIONS] [--no-scenes]

With --bursts, every burst of a folder (made by make_bursts.py, or of the same form) is played up to its reference
frame, whose truth is known; then synthetic scenes, all of whose frames have a truth. Each method gets the same .y4m
file and one thread; --extra gives `livecap live` further options. Prints PSNR-Y of the frames, and how much each method
adds to it: over all frames, and in moving paths. A path is where the truth changed within the last eight frames, or, in
bursts, the discs of the moving object. In scenes the first eight frames count apart, since nothing is remembered at
first.

Times are milliseconds of processor time in user mode per frame, beyond what the same program takes to copy the frames
(`ffmpeg -benchmark`; `livecap record`): the least of three runs each. Needs numpy, opencv-python-headless and ffmpeg.
"""
import argparse
import json
import lzma
import os
import re
import resource
import subprocess
import sys
import tempfile

import cv2
import numpy as np

SCENES = [
    "tripod:noise=4", "handheld:noise=4", "object:noise=4", "object:motion=none,noise=4", "lowlight", "flicker:noise=4",
    "object:motion=none,camera=webcam", "handheld:camera=laptop"]
FILTERS = {"atadenoise": "atadenoise", "hqdn3d": "hqdn3d"}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"live: {' '.join(command)}\n{done.stderr}exit {done.returncode}")
    return done


def brightness(path):
    """Y' of every frame of a .y4m file."""
    with open(path, "rb") as file:
        head = file.readline().decode()
        width, height = (int(re.search(rf" {c}(\d+)", head).group(1)) for c in "WH")
        chroma = re.search(r" C(\S+)", head)
        shared = {"mono": 0, "422": 2, "444": 1}.get(chroma.group(1)[:4].rstrip("jpm") if chroma else "420", 4)
        rest = 0 if shared == 0 else 2 * ((width + 1) // 2 if shared > 1 else width) * (
            (height + 1) // 2 if shared == 4 else height)
        frames = []
        while file.readline():
            frames.append(np.frombuffer(file.read(width * height), np.uint8).reshape(height, width))
            file.seek(rest, 1)
    return frames


def psnr(a, b, where=None):
    error = (a.astype(np.float64) - b) ** 2
    return float(10 * np.log10(255**2 / max(1e-3, (error if where is None else error[where]).mean())))


def with_light_of(found, truth):
    """The picture with the gain and the lift that fit the truth best, for scenes whose light flickers."""
    gain, lift = np.polyfit(found.ravel()[::7].astype(float), truth.ravel()[::7].astype(float), 1)
    return found * gain + lift


def own_time(command):
    """Seconds of processor time in user mode that a program takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def processor_time(source, chain, out):
    done = run(["ffmpeg", "-y", "-v", "info", "-benchmark", "-threads", "1", "-filter_threads", "1", "-i", source,
                *(["-vf", chain] if chain else []), "-threads", "1", "-f", "yuv4mpegpipe", "-strict", "-1", out])
    return float(re.search(r"bench: utime=([\d.]+)s", done.stderr).group(1))


def methods(livecap, source, count, filters, folder, extra):
    """The frames each method makes of a .y4m file, and its milliseconds per frame."""
    out = os.path.join(folder, "out.y4m")
    fuse = [livecap, "live", "--replay", source, "-o", out, "--threads", "1", "--overwrite", "--quiet", *extra]
    copy = [livecap, "record", "--replay", source, "-o", out, "--overwrite", "--quiet"]
    time = min(own_time(copy) for _ in range(3))
    time = min(own_time(fuse) for _ in range(3)) - time
    found = {"live": (brightness(out), 1000 * time / count)}
    copy = min(processor_time(source, None, out) for _ in range(3))
    for name, chain in filters.items():
        time = min(processor_time(source, chain, out) for _ in range(3)) - copy
        found[name] = (brightness(out), 1000 * time / count)
    return found


def discs(meta, shape):
    mask = np.zeros(shape, np.uint8)
    for place in (g for g in meta["geometry"] if "obj_cx" in g):
        cv2.circle(mask, (int(place["obj_cx"]), int(place["obj_cy"])), int(place["obj_radius"]) + 8, 1, -1)
    return mask > 0


def row(name, found, own, truths, paths, counted, steady):
    """Prints the gains of one source."""
    fit = with_light_of if steady else lambda a, b: a
    def mean(frames, where=None):
        chosen = [i for i in counted if where is None or where[i].any()]
        if not chosen:
            return None
        return float(np.mean([
            psnr(fit(frames[i], truths[i]), truths[i], None if where is None else where[i]) for i in chosen]))
    base, path = mean(own), mean(own, paths) if paths is not None else None
    line = f"{name:38} {base:6.2f}"
    gains = {}
    for method, (frames, time) in found.items():
        gains[method] = (mean(frames) - base, mean(frames, paths) - path if path is not None else None, time)
        inside = f"{gains[method][1]:+6.2f}" if path is not None else "      "
        line += f" | {gains[method][0]:+6.2f} {inside} {time:6.2f}"
    print(line, flush=True)
    return gains


def burst(args, folder, tmp):
    meta = json.load(open(os.path.join(folder, "meta.json")))
    source, at = os.path.join(tmp, "in.y4m"), meta["ref_index"]
    mjpeg = os.path.join(folder, "frames.mjpeg")
    if os.path.exists(mjpeg):
        replay = ["--replay", mjpeg]
    else:
        raw = os.path.join(tmp, "frames.yuyv")
        with lzma.open(os.path.join(folder, "frames.yuyv.xz")) as packed, open(raw, "wb") as file:
            file.write(packed.read())
        replay = ["--replay", raw, "--input-format", "yuyv", "--size", f"{meta['width']}x{meta['height']}"]
    run([args.livecap, "record", *replay, "--fps", "30", "-o", source, "--overwrite", "--quiet"])
    own = brightness(source)
    clean = cv2.imread(os.path.join(folder, "clean.png"), cv2.IMREAD_UNCHANGED)
    if clean.dtype == np.uint16:
        clean = clean / 257
    blue, green, red = (clean[..., i].astype(float) for i in range(3))
    truth = 0.299 * red + 0.587 * green + 0.114 * blue
    if not os.path.exists(mjpeg):
        truth = 16 + truth * 219 / 255
    truths = {at: truth}
    mask = discs(meta, truth.shape)
    found = methods(args.livecap, source, len(own), args.filters, tmp, args.extra)
    return row(os.path.basename(folder), found, own, truths, {at: mask} if mask.any() else None, [at],
               meta["cls"] == "flicker")


def scene(args, name, tmp):
    source, clean = os.path.join(tmp, "in.y4m"), os.path.join(tmp, "clean.y4m")
    common = ["--size", args.size, "--fps", "30", "-n", str(args.frames), "--overwrite", "--quiet"]
    joined = name + ("," if ":" in name else ":")
    run([args.livecap, "record", "--synthetic", joined + "seed=5", "-o", source, *common])
    run([args.livecap, "record", "--synthetic", joined + "seed=5,truth=yes", "-o", clean, *common])
    own, truths = brightness(source), [t.astype(float) for t in brightness(clean)]
    paths = None
    if "motion=none" in name:
        paths = []
        for i, truth in enumerate(truths):
            changed = np.zeros(truth.shape, np.uint8)
            for before in truths[max(0, i - 8):i]:
                changed |= (np.abs(truth - before) > 3).astype(np.uint8)
            paths.append(cv2.dilate(changed, np.ones((5, 5), np.uint8)) > 0)
    found = methods(args.livecap, source, len(own), args.filters, tmp, args.extra)
    steady = name.startswith("flicker")
    first = row(name + " first 8", found, own, truths, paths, range(min(8, len(own))), steady)
    return first, row(name, found, own, truths, paths, range(8, len(own)), steady)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--livecap", default=".build/release/livecap")
    parser.add_argument("--bursts")
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--only", default="")
    parser.add_argument("--filters", default=",".join(FILTERS))
    parser.add_argument("--extra", default="")
    parser.add_argument("--no-scenes", action="store_true")
    args = parser.parse_args()
    args.filters = {name: FILTERS.get(name, name) for name in args.filters.split(",") if name}
    args.extra = args.extra.split()
    print(f"{'':38} {'frames':>6}" + "".join(f" | {m:>12}, path, ms" for m in ["live", *args.filters]))
    groups = {"bursts": [], "scenes": []}
    with tempfile.TemporaryDirectory() as tmp:
        for name in sorted(os.listdir(args.bursts)) if args.bursts else []:
            folder = os.path.join(args.bursts, name)
            if os.path.exists(os.path.join(folder, "clean.png")) and args.only in name:
                groups["bursts"].append(burst(args, folder, tmp))
        for name in [] if args.no_scenes else SCENES:
            if args.only in name:
                groups["scenes"].append(scene(args, name, tmp)[1])
    for group, gains in groups.items():
        if gains:
            means = [f"{m} {np.mean([g[m][0] for g in gains]):+.2f}" for m in gains[0]]
            print(f"{group}: mean gain {', '.join(means)} dB")


if __name__ == "__main__":
    main()
