#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares livecap's fusion with methods built on OpenCV, on the same frames, in the same run.

  compare.py [--livecap PROGRAM] [--rounds N]

The frames are eight of the synthetic scene that `livecap bench fusion` measures times with (1280x720, handheld), read
back from a recording. livecap's times come from that benchmark, which fuses all three planes, from the camera's bytes
to finished planes. The other methods get only the luma planes, already unpacked, and the true noise; their rounds
alternate with livecap's. For one thread, times are processor times, which other work on the machine affects least; for
two threads, they are elapsed times.

  flow + robust mean     DIS optical flow (preset fast; medium takes four times as long for 0.1 dB) from the reference
                         to each frame, bilinear warping, then a mean weighted per pixel: a 5x5 box of squared
                         differences over twice the noise variance; the weight falls from 1 to 0 between 1.5 and 3
  multi-frame NLM        fastNlMeansDenoisingMulti over 7 frames, on a strip of the picture; its time, which is
                         proportional to the rows, is scaled to the whole picture

Needs numpy and opencv-python-headless.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import bursts
import cv2
import numpy as np

SCENE = "handheld:noise=3,mark=off"
SIZE = (1280, 720)
FRAMES, REFERENCE = 8, 4
TARGETS = {"flow + robust mean": 8, "multi-frame NLM": 200}
STRIP = 180
GRID = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))


def luma(frame):
    return np.ascontiguousarray(np.frombuffer(frame, np.uint8).reshape(SIZE[1], SIZE[0], 2)[..., 0])


def noise_table(single, truth):
    """Twice the noise variance at each code, for the robust mean."""
    error, codes = (single - truth) ** 2, np.clip(truth, 0, 255)
    bins = np.linspace(0, 256, 17)
    which = np.digitize(codes, bins) - 1
    known = [b for b in range(16) if np.count_nonzero(which == b) > 200]
    variances = [error[which == b].mean() for b in known]
    middles = [(bins[b] + bins[b + 1]) / 2 for b in known]
    return (2 * np.interp(np.arange(256), middles, variances)).astype(np.float32)


def flow_and_robust_mean(frames, table):
    reference = frames[REFERENCE]
    still = reference.astype(np.float32)
    total, weights = still.copy(), np.ones_like(still)
    spread = cv2.LUT(cv2.blur(reference, (5, 5)), table)
    x, y = GRID
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
    for index, frame in enumerate(frames):
        if index == REFERENCE:
            continue
        motion = flow.calc(reference, frame, None)
        warped = cv2.remap(frame, x + motion[..., 0], y + motion[..., 1], cv2.INTER_LINEAR).astype(np.float32)
        difference = cv2.blur(cv2.multiply(warped - still, warped - still), (5, 5))
        weight = np.clip((3 - difference / spread) / 1.5, 0, 1)
        total += weight * warped
        weights += weight
    return total / weights


def multi_frame_nlm(frames, strength):
    strip = [frame[:STRIP] for frame in frames]
    return cv2.fastNlMeansDenoisingMulti(strip, REFERENCE, 7, None, strength, 7, 21)


def milliseconds(body, clock):
    start = clock()
    result = body()
    return (clock() - start) * 1000, result


def bench(livecap, name):
    """The time per still of a benchmark of `livecap bench fusion`, in milliseconds."""
    done = subprocess.run(
        [livecap, "bench", "fusion", "--only", name, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[0])["msPerStill"]


def stills(livecap, recording, folder):
    """livecap's stills of the recording, by tier; without those that this build cannot make."""
    made = {}
    for tier in ("speed", "balanced", "quality"):
        path = os.path.join(folder, tier + ".png")
        if bursts.shoot_recording(livecap, recording, REFERENCE, FRAMES, tier, path):
            made[tier] = bursts.luma(bursts.rgb(path))
    return made


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--livecap", default=".build/release/livecap", help="the program (default: .build/release/livecap)")
    options.add_argument("--rounds", type=int, default=3, help="how often everything is timed (default: 3)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "burst.lcap")
        frames = [luma(frame) for frame in bursts.record(given.livecap, SCENE, SIZE, FRAMES, recording)]
        scene = SCENE.replace("noise=3", "noise=none")
        clean = bursts.record(given.livecap, scene, SIZE, FRAMES, os.path.join(folder, "clean.lcap"))
        truth = luma(clean[REFERENCE]).astype(np.float64)
        ours = stills(given.livecap, recording, folder)
    table = noise_table(frames[REFERENCE], truth)
    strength = float(np.sqrt(table[128] / 2))

    good = True
    print(f"{FRAMES} frames of {SIZE[0]}x{SIZE[1]}, {SCENE}; medians of {given.rounds} rounds, in ms")
    for threads, benchmark in ((1, "fusion.time.balanced"), (2, "fusion.time.twothreads")):
        cv2.setNumThreads(threads)
        # As in livecap's benchmarks: processor time for one thread, elapsed time for several.
        clock = time.thread_time if threads == 1 else time.perf_counter
        times = {name: [] for name in ["livecap balanced", *TARGETS]}
        for _ in range(given.rounds):
            times["livecap balanced"].append(bench(given.livecap, benchmark))
            spent, robust = milliseconds(lambda: flow_and_robust_mean(frames, table), clock)
            times["flow + robust mean"].append(spent)
            spent, nlm = milliseconds(lambda: multi_frame_nlm(frames, strength), clock)
            times["multi-frame NLM"].append(spent * SIZE[1] / STRIP)
        medians = {name: statistics.median(values) for name, values in times.items()}
        for name, spent in medians.items():
            line = f"{threads} thread{'s' if threads > 1 else ' '}  {name:20s} {spent:9.1f}"
            if name in TARGETS:
                ratio = spent / medians["livecap balanced"]
                line += f"   {ratio:7.1f} times livecap's (target: at least {TARGETS[name]})"
                good = good and ratio >= TARGETS[name]
            print(line)

    print("PSNR-Y of the stills, in dB")
    print(f"  single frame         {bursts.psnr(frames[REFERENCE], truth):6.2f}")
    print(f"  flow + robust mean   {bursts.psnr(robust, truth):6.2f}")
    print(f"  multi-frame NLM      {bursts.psnr(nlm.astype(float), truth[:STRIP]):6.2f}"
          f"   (of its strip; single frame there: {bursts.psnr(frames[REFERENCE][:STRIP] * 1.0, truth[:STRIP]):.2f})")
    for tier, still in ours.items():
        print(f"  livecap {tier:12s} {bursts.psnr(still, truth):6.2f}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
