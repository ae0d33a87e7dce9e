#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `livecap movie --stabilise` with vidstab, ffmpeg's filters for shaky videos, on scenes whose truth is known.

  stabilise.py [--livecap PROGRAM] [--frames N] [--size WxH] [--only TEXT] [--keep DIR]

Each method gets the same .y4m file and makes a movie of H.264. Every picture is then registered with the scene's truth,
which is what the camera sees in its middle position without noise (ECC, affine), so where it looks is known. Prints:

  motion     how far what is in the corners and the middle moves from one picture to the next, root of the mean square
             in pixels of the picture, and as a share of that in the frames
  shown      the share of the frame's width that pictures show
  sharpness  how much of the truth's detail is left: the gain that fits the finest octave of it best
  border     the share of pictures with black pixels at their edge
  time       milliseconds of processor time in user mode per frame, beyond those of the same movie not steadied (for
             vidstab: of decoding and encoding alone); the least of three runs, with one thread

Times are worth comparing only on a machine that does nothing else. Needs numpy, opencv-python-headless, and an ffmpeg
with vidstab.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

import cv2
import numpy as np

SCENES = [
    "handheld:motion=strong", "handheld:motion=mild", "lowlight:motion=strong", "object:motion=strong",
    "handheld:motion=strong,rotation=0.5", "handheld:motion=strong,camera=plain,shutter=0.9"]
VIDSTAB = {
    "vidstab": "smoothing=10:optzoom=1", "vidstab 30": "smoothing=30:optzoom=1", "vidstab tripod": "tripod=1:optzoom=1"}


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"stabilise: {' '.join(command)}\n{done.stderr}exit {done.returncode}")
    return done


def own_time(commands):
    """Seconds of processor time in user mode that programs take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for command in commands:
        run(command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def pictures(path, width, height):
    """Y' of every picture of a movie."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width)


def registered(picture, truth, guess):
    """The affine map from a picture's pixels to the truth's."""
    soft, sharp = (cv2.GaussianBlur(p, (0, 0), 1.5).astype(np.float32) for p in (picture, truth))
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-7)
    try:
        return cv2.findTransformECC(soft, sharp, guess.copy(), cv2.MOTION_AFFINE, criteria, None, 5)[1]
    except cv2.error:
        return None


def first_guess(picture, truth):
    corners = cv2.goodFeaturesToTrack(picture, 400, 0.01, 8)
    found, status, _ = cv2.calcOpticalFlowPyrLK(picture, truth, corners, None, winSize=(41, 41), maxLevel=4)
    good = status.ravel() == 1
    return cv2.estimateAffine2D(corners[good], found[good], ransacReprojThreshold=2)[0].astype(np.float32)


def fine(picture):
    return cv2.GaussianBlur(picture, (0, 0), 0.7) - cv2.GaussianBlur(picture, (0, 0), 1.4)


def judged(frames, truth):
    """The motion, the share shown, the sharpness and the share of pictures with a border."""
    height, width = truth.shape
    points = np.array(
        [(0, 0, 1), (width - 1, 0, 1), (0, height - 1, 1), (width - 1, height - 1, 1),
         ((width - 1) / 2, (height - 1) / 2, 1)]).T
    guess, places, shown, products, borders = None, [], [], np.zeros(2), 0
    for frame in frames:
        if guess is None:
            guess = first_guess(frame, truth)
        found = registered(frame, truth, guess)
        if found is None:
            return None
        guess = found
        size = np.sqrt(abs(np.linalg.det(found[:, :2])))
        shown.append(size)
        places.append(found @ points / size)
        ideal = cv2.warpAffine(
            truth, found, (width, height), flags=cv2.INTER_LANCZOS4 | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT)
        inside = np.s_[40:-40, 40:-40]
        own, theirs = fine(frame.astype(np.float32))[inside], fine(ideal.astype(np.float32))[inside]
        products += (own * theirs).sum(), (theirs * theirs).sum()
        edge = np.concatenate([frame[0], frame[-1], frame[:, 0], frame[:, -1]])
        borders += (edge < 18).mean() > 0.02
    steps = np.diff(np.array(places), axis=0)
    return (np.sqrt((steps**2).sum(axis=1).mean()), np.mean(shown), products[0] / products[1], borders / len(frames))


def methods(args, source, folder):
    """For each method its movie, and its milliseconds per frame."""
    encode = ["-threads", "1", "-c:v", "libx264", "-preset", "veryfast", "-crf", "18"]
    ffmpeg = ["ffmpeg", "-y", "-v", "error", "-threads", "1", "-filter_threads", "1", "-i", source]

    def movie(mode):
        out = os.path.join(folder, f"{mode}.mp4")
        return out, [[
            args.livecap, "movie", "--replay", source, "-o", out, "--stabilise", mode, "--overwrite", "--quiet"]]

    def filtered(name, chains):
        out = os.path.join(folder, f"{name.replace(' ', '-')}.mp4")
        return out, [
            ffmpeg + (["-vf", chain] if chain else []) + (encode + [out] if last else ["-f", "null", "-"])
            for last, chain in chains]

    trf = os.path.join(folder, "motion.trf")
    detect = f"vidstabdetect=shakiness=5:accuracy=15:result={trf}"
    groups = [
        [("frames", *movie("off")), ("standard", *movie("standard")), ("cinematic", *movie("cinematic"))],
        [("copy", *filtered("copy", [(True, None)]))] + [
            (name, *filtered(name, [(False, detect), (True, f"vidstabtransform=input={trf}:{how}")]))
            for name, how in VIDSTAB.items()]]
    found = {}
    for group in groups:
        base = None
        for name, out, commands in group:
            time = min(own_time(commands) for _ in range(3))
            base = time if base is None else base
            # vidstab decodes twice.
            found[name] = (out, 1000 * (time - base) / args.frames)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--livecap", default=".build/release/livecap")
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    for scene in (s for s in SCENES if args.only in s):
        with tempfile.TemporaryDirectory() as tmp:
            folder = args.keep or tmp
            source, clean = os.path.join(folder, "in.y4m"), os.path.join(folder, "clean.y4m")
            common = ["--size", args.size, "--fps", "30", "--overwrite", "--quiet"]
            run([args.livecap, "record", "--synthetic", f"{scene},seed=5,mark=no", "-n", str(args.frames), "-o", source,
                 *common])
            kind = "lowlight:motion=none,noise=none" if scene.startswith("lowlight") else "tripod"
            joined = kind + ("," if ":" in kind else ":")
            run([args.livecap, "record", "--synthetic", f"{joined}seed=5,mark=no,truth=yes", "-n", "1", "-o", clean,
                 *common])
            truth = pictures(clean, width, height)[0]
            print(f"{scene}, {args.frames} frames of {args.size}", flush=True)
            base = None
            for name, (out, time) in methods(args, source, folder).items():
                if name == "copy":
                    continue
                result = judged(pictures(out, width, height), truth)
                if result is None:
                    print(f"  {name:16} cannot be registered")
                    continue
                motion, shown, sharpness, border = result
                base = motion if base is None else base
                print(f"  {name:16} motion {motion:6.3f} px ({motion / base:6.1%})  shown {shown:6.1%}  "
                      f"sharpness {sharpness:5.2f}  border {border:4.0%}  time {time:6.2f} ms", flush=True)


if __name__ == "__main__":
    main()
