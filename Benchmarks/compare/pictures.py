#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the pictures of docs/fusion.md and README.md.

Those of docs/fusion.md are crops of synthetic scenes, enlarged to three times the size, side by side: the single frame,
livecap's stills by speed, balanced and quality, and the truth. README.md shows the single frame and a still of it at
their own size.

  pictures.py [--livecap PROGRAM] [--output DIR]

Needs numpy and opencv-python-headless.
"""
import argparse
import os
import tempfile

import bursts
import cv2
import numpy as np

SIZE = (1280, 720)
FRAMES, REFERENCE = 8, 4
# The scene, its noise, and the left and top edge of the crop.
SCENES = {
    "handheld": ("handheld:mark=off", 3, (392, 500)),
    "object": ("object:mark=off", 4, (560, 340)),
    "lowlight": ("lowlight:mark=off", 4, (670, 130)),
}
CROP = (128, 120)
# For README.md: the scene, the left and top edge of the crop, and its size.
PAIR = ("object", (400, 100), (560, 460))


def beside(single, still):
    """The same crop of the frame and of its still, side by side."""
    _, (left, top), (width, height) = PAIR
    return np.hstack([picture[top : top + height, left : left + width] for picture in (single, still)])


def shown(picture, corner):
    """A crop of a BGR picture, enlarged without smoothing."""
    (left, top), (width, height) = corner, CROP
    crop = picture[top : top + height, left : left + width]
    return cv2.resize(crop, None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST)


def plain(frame):
    """A YUYV frame (BT.601) as a BGR picture."""
    return cv2.cvtColor(np.frombuffer(frame, np.uint8).reshape(SIZE[1], SIZE[0], 2), cv2.COLOR_YUV2BGR_YUYV)


def write(folder, name, picture):
    path = os.path.join(folder, f"fusion-{name}.jpg")
    cv2.imwrite(path, picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
    print(path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--livecap", default=".build/release/livecap", help="the program (default: .build/release/livecap)")
    options.add_argument("--output", default="docs/images", help="the folder for the pictures (default: docs/images)")
    given = options.parse_args()
    for name, (scene, noise, corner) in SCENES.items():
        with tempfile.TemporaryDirectory() as folder:
            recording, still = os.path.join(folder, "burst.lcap"), os.path.join(folder, "still.png")
            clean = bursts.record(given.livecap, scene + ",noise=none", SIZE, FRAMES, recording)
            noisy = bursts.record(given.livecap, f"{scene},noise={noise}", SIZE, FRAMES, recording)
            row = [shown(plain(noisy[REFERENCE]), corner)]
            for tier in ("speed", "balanced", "quality"):
                if bursts.shoot_recording(given.livecap, recording, REFERENCE, FRAMES, tier, still):
                    row.append(shown(cv2.imread(still), corner))
                    if name == PAIR[0] and tier == "balanced":
                        write(given.output, "still", beside(plain(noisy[REFERENCE]), cv2.imread(still)))
            row.append(shown(plain(clean[REFERENCE]), corner))
        write(given.output, name, np.hstack(row))


if __name__ == "__main__":
    main()
