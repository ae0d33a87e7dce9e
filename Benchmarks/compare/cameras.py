#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares livecap's stills with other methods on bursts of modelled cameras, whose truth is known.

  cameras.py [--livecap PROGRAM] [--frames N] [--pictures DIR] [--only TEXT] [--size WxH] [--seed N]

Each camera of `--synthetic` sees the still life, moving in the hand and standing still; with --pictures, it sees the
JPEG pictures of a folder instead. The others are told the true noise by brightness; livecap must estimate it:

  mean                plain mean of all frames
  ECC + mean          one Euclidean motion per frame (OpenCV's findTransformECC), then a mean
  flow + robust mean  DIS optical flow (preset medium), then a mean weighted per pixel, as in compare.py
  non-local means     of the reference alone, told the noise at mid-brightness; to be compared with `speed`

Prints PSNR-Y and the PSNR of chroma (the mean of both planes' errors), of all after the same turn through R'G'B', where
strong colours are cut off. Needs numpy and opencv-python-headless.
"""
import argparse
import json
import os
import sys
import tempfile

import bursts
import cv2
import numpy as np

CAMERAS = ["webcam", "laptop", "dim", "sharpened", "filtered", "night", "good"]
SCENES = ["handheld", "tripod", "object:motion=none"]
METHODS = ["single", "speed", "merge", "balanced", "quality"]


def planes(frame, size):
    """Y', Cb and Cr of a YUYV frame, as 8-bit arrays."""
    raw = np.frombuffer(frame, np.uint8).reshape(size[1], size[0], 2)
    return [np.ascontiguousarray(plane) for plane in (raw[..., 0], raw[:, 0::2, 1], raw[:, 1::2, 1])]


def still_planes(picture):
    """Y', Cb and Cr of an R'G'B' picture, with chroma at half the width, as before it was spread over all pixels."""
    width = picture.shape[1] // 2
    # A pixel's chroma is a quarter of the way from its own sample to the next, so the mean of a sample's two pixels is
    # 3/4 of the sample and 1/8 of each neighbour.
    spread = np.eye(width) * 0.75 + (np.eye(width, k=1) + np.eye(width, k=-1)) / 8
    spread[0, 0] = spread[-1, -1] = 0.875
    both = [(c[:, 0::2] + c[:, 1::2]) / 2 for c in bursts.chroma(picture)]
    return [bursts.luma(picture)] + [np.linalg.solve(spread, c.T).T for c in both]


def through_rgb(frame):
    """Y', Cb and Cr after a turn through R'G'B', in which colours outside of it are cut off, as in livecap's stills."""
    spread = []
    for plane in frame[1:]:
        before, after = np.pad(plane, ((0, 0), (1, 1)), "edge")[:, :-2], np.pad(plane, ((0, 0), (1, 1)), "edge")[:, 2:]
        pixels = np.empty((plane.shape[0], 2 * plane.shape[1]))
        pixels[:, 0::2], pixels[:, 1::2] = 0.75 * plane + 0.25 * before, 0.75 * plane + 0.25 * after
        spread.append((pixels - 128) / 112)
    y, blue, red = (np.asarray(frame[0], np.float64) - 16) / 219, 0.886 * spread[0], 0.701 * spread[1]
    green = -(0.114 * blue + 0.299 * red) / 0.587
    return still_planes(255 * np.clip(np.dstack([y + red, y + green, y + blue]), 0, 1))


def noise_table(single, truth):
    """Twice the noise variance at each code."""
    error, bins = (single.astype(float) - truth) ** 2, np.linspace(0, 256, 17)
    which = np.digitize(np.clip(truth, 0, 255), bins) - 1
    known = [b for b in range(16) if np.count_nonzero(which == b) > 200]
    middles = [(bins[b] + bins[b + 1]) / 2 for b in known]
    variances = [max(0.02, error[which == b].mean()) for b in known]
    return (2 * np.interp(np.arange(256), middles, variances)).astype(np.float32)


def grid(plane):
    return np.meshgrid(np.arange(plane.shape[1], dtype=np.float32), np.arange(plane.shape[0], dtype=np.float32))


def flow_and_robust_mean(frames, reference, tables):
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    sums = [plane.astype(np.float32) for plane in frames[reference]]
    weights = [np.ones_like(plane) for plane in sums]
    for index, frame in enumerate(frames):
        if index == reference:
            continue
        motion = flow.calc(frames[reference][0], frame[0], None)
        for place, plane in enumerate(frame):
            own, (x, y) = frames[reference][place], grid(plane)
            across = motion[..., 0] if place == 0 else motion[:, 0::2, 0] / 2
            down = motion[..., 1] if place == 0 else motion[:, 0::2, 1]
            warped = cv2.remap(plane, x + across, y + down, cv2.INTER_LINEAR).astype(np.float32)
            difference = cv2.blur((warped - own) ** 2, (5, 5))
            weight = np.clip((3 - difference / cv2.LUT(cv2.blur(own, (5, 5)), tables[place])) / 1.5, 0, 1)
            sums[place] += weight * warped
            weights[place] += weight
    return [total / weight for total, weight in zip(sums, weights)]


def ecc_and_mean(frames, reference):
    sums = [plane.astype(np.float32) for plane in frames[reference]]
    for index, frame in enumerate(frames):
        if index == reference:
            continue
        motion = np.eye(2, 3, dtype=np.float32)
        try:
            stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-5)
            _, motion = cv2.findTransformECC(
                frames[reference][0], frame[0], motion, cv2.MOTION_EUCLIDEAN, stop, None, 5)
        except cv2.error:
            pass
        for place, plane in enumerate(frame):
            own = motion.copy()
            if place:
                own[0, 1:], own[1, 0] = own[0, 1:] / 2, own[1, 0] * 2
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            sums[place] += cv2.warpAffine(
                plane, own, plane.shape[::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    return [total / len(frames) for total in sums]


def others(frames, reference, truth):
    tables = [noise_table(own, true) for own, true in zip(frames[reference], truth)]
    strengths = [float(np.sqrt(table[128] / 2)) for table in tables]
    return {
        "mean": [np.mean([frame[p] for frame in frames], axis=0) for p in range(3)],
        "ECC + mean": ecc_and_mean(frames, reference),
        "flow + robust mean": flow_and_robust_mean(frames, reference, tables),
        "non-local means": [
            cv2.fastNlMeansDenoising(plane, None, strength, 7, 21).astype(float)
            for plane, strength in zip(frames[reference], strengths)],
    }


def scores(found, truth):
    error = [np.mean((a - b) ** 2) for a, b in zip(found, truth)]
    return [float(10 * np.log10(255**2 / max(1e-3, e))) for e in (error[0], (error[1] + error[2]) / 2)]


def measure(livecap, scene, size, count, folder):
    recording, reference = os.path.join(folder, "burst.lcap"), count // 2
    own = [planes(frame, size) for frame in bursts.record(livecap, scene, size, count, recording)]
    clean = bursts.record(livecap, scene + ",truth=yes", size, count, os.path.join(folder, "clean.lcap"))
    truth = [plane.astype(float) for plane in planes(clean[reference], size)]
    found = {"frame": scores(through_rgb(own[reference]), truth)}
    for name, still in others(own, reference, truth).items():
        found[name] = scores(through_rgb(still), truth)
    for method in METHODS:
        path = os.path.join(folder, method + ".png")
        if bursts.shoot_recording(livecap, recording, reference, count, method, path):
            found[method] = scores(still_planes(bursts.rgb(path)), truth)
    return found


def scenes(pictures, seed):
    views = SCENES
    if pictures:
        names = sorted(n for n in os.listdir(pictures) if n.lower().endswith((".jpg", ".jpeg")))
        views = [f"handheld:picture={os.path.join(pictures, name)}" for name in names]
    for view in views:
        for camera in CAMERAS:
            yield f"{view}{',' if ':' in view else ':'}camera={camera},mark=off,seed={seed}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--livecap", default=".build/release/livecap")
    options.add_argument("--frames", type=int, default=16)
    options.add_argument("--pictures", help="a folder of JPEG pictures to see instead of the still life")
    options.add_argument("--only", default="", help="only scenes whose text contains this")
    options.add_argument("--size", default="640x480")
    options.add_argument("--seed", type=int, default=11)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    cv2.setNumThreads(1)
    size = tuple(int(part) for part in given.size.split("x"))
    leads, peers = [], ("mean", "ECC + mean", "flow + robust mean")
    for scene in scenes(given.pictures, given.seed):
        if given.only not in scene:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = measure(os.path.abspath(given.livecap), scene, size, given.frames, folder)
        best = [max(found[peer][kind] for peer in peers) for kind in (0, 1)]
        lead = [found["balanced"][kind] - best[kind] for kind in (0, 1)]
        leads.append(lead)
        if given.json:
            print(json.dumps({"scene": scene, "lead": lead, **found}), flush=True)
            continue
        title = scene.rsplit("/", 1)[-1].replace(f",mark=off,seed={given.seed}", "")
        print(title, flush=True)
        for name, (brightness, color) in found.items():
            print(f"  {name:20s} Y {brightness:6.2f}  C {color:6.2f}")
        print(f"  balanced leads by    Y {lead[0]:+6.2f}  C {lead[1]:+6.2f}", flush=True)
    if leads and not given.json:
        mean, least = np.mean(leads, axis=0), np.min(leads, axis=0)
        print(f"over {len(leads)} bursts, balanced leads the best other by Y {mean[0]:+.2f} C {mean[1]:+.2f} dB "
              f"in the mean, and by Y {least[0]:+.2f} C {least[1]:+.2f} at least")


if __name__ == "__main__":
    sys.exit(main())
