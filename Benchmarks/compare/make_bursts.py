#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes bursts whose true picture is known, from given pictures, for damage.py.

  make_bursts.py --pictures DIR --set OUT [--seed N]
      one burst per picture, cycling through the kinds
  make_bursts.py --pictures DIR --set OUT --kind KIND [--seed N]
      one burst per picture, all of one kind

A burst simulates a camera: the picture is moved, turned and lit. Noise is added in linear light, before the tone curve;
in some kinds it is correlated, as by demosaicking. Frames are YUYV or JPEGs. OUT/NAME/ gets clean.png (the truth of the
reference frame), meta.json, and frames.yuyv or frames.mjpeg. The same seed makes the same bursts.
"""
import argparse
import json
import os
import sys

try:
    import cv2
    import numpy as np
except ImportError:
    sys.exit("this needs numpy and OpenCV: pip install numpy opencv-python-headless")

# Shot and read noise are variances in linear light from 0 to 1; motion is in pixels per frame, turns in degrees.
KINDS = [
    dict(name="hand", size=(640, 480), frames=8, shot=0.004, read=1e-5, motion=4, turn=0.2),
    dict(name="dark", size=(640, 426), frames=16, shot=0.05, read=2e-4, motion=3, turn=0.1, light=0.12, bayer=True),
    dict(name="object", size=(1280, 720), frames=8, shot=0.006, read=2e-5, motion=3, turn=0.1, bayer=True, ball=True),
    dict(name="quiet", size=(640, 426), frames=8, shot=0.0002, read=1e-6),
    dict(name="flicker", size=(600, 400), frames=8, shot=0.004, read=1e-5, motion=2, flicker=0.1),
    dict(name="night", size=(960, 540), frames=12, shot=0.02, read=1e-4, motion=5, turn=0.15, light=0.5, bayer=True),
    dict(name="mjpeg", size=(640, 480), frames=8, shot=0.006, read=2e-5, motion=5, turn=0.2, jpeg=70),
    dict(name="strong", size=(640, 480), frames=8, shot=0.02, read=1e-4, motion=4, turn=0.1),
    dict(name="far", size=(642, 362), frames=16, shot=0.01, read=3e-5, motion=14, turn=0.15),
    dict(name="shaky", size=(640, 360), frames=8, shot=0.01, read=3e-5, motion=8, turn=0.5),
]
# Hardly any noise, or a little: here fusion has the least to gain, and fine detail to lose.
QUIET_KINDS = [
    dict(name="quietmove", size=(640, 426), frames=8, shot=0.0002, read=1e-6, motion=4, turn=0.1),
    dict(name="mildmove", size=(640, 426), frames=8, shot=0.0008, read=3e-6, motion=4, turn=0.1),
    dict(name="quietjpeg", size=(640, 426), frames=8, shot=0.0002, read=1e-6, motion=4, turn=0.1, jpeg=60),
]


def linear(value):
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def encoded(light):
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


def scene(path, size, margin):
    """The picture in linear light, as large as the frames plus `margin` on each side."""
    picture = cv2.imread(path, cv2.IMREAD_COLOR)
    if picture is None:
        sys.exit(f"cannot read {path}")
    scale = max((edge + 2 * margin) / length for edge, length in zip(size, picture.shape[1::-1]))
    way = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    picture = cv2.resize(picture.astype(np.float32) / 255, None, fx=scale, fy=scale, interpolation=way)
    return linear(np.clip(picture[..., ::-1], 0, 1)).astype(np.float32)


def interpolated(noise):
    """Noise after demosaicking: each pixel has one colour of its own, and the others from its neighbours."""
    own = np.zeros(noise.shape, np.float32)
    own[0::2, 0::2, 0] = own[0::2, 1::2, 1] = own[1::2, 0::2, 1] = own[1::2, 1::2, 2] = 1
    sparse = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / 4
    dense = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]], np.float32) / 4
    kernels = (sparse, dense, sparse)
    return np.dstack([cv2.filter2D(noise[..., c] * own[..., c], -1, kernels[c]) for c in range(3)])


def yuyv(rgb):
    """BT.601, limited range."""
    red, green, blue = (rgb[..., channel] for channel in range(3))
    y = 16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255
    cb = 128 + (112 * blue - 37.797 * red - 74.203 * green) / 255
    cr = 128 + (112 * red - 93.786 * green - 18.214 * blue) / 255
    cb, cr = ((plane[:, 0::2] + plane[:, 1::2]) / 2 for plane in (cb, cr))
    return np.stack([y[:, 0::2], cb, y[:, 1::2], cr], axis=-1).round().clip(0, 255).astype(np.uint8).tobytes()


def path_of(frames, reference, motion, turn, dice):
    """The camera's position and rotation in each frame, relative to the reference."""
    place, speed, places = np.zeros(2), dice.normal(size=2), []
    for _ in range(frames):
        places.append(place)
        speed = 0.7 * speed + 0.6 * dice.normal(size=2)
        speed *= min(1, 1 / np.hypot(*speed))
        place = place + motion * speed
    places, turns = np.array(places), np.cumsum(dice.normal(size=frames)) * turn
    return places - places[reference], turns - turns[reference]


def with_ball(light, frame, frames):
    """Adds a ball that moves through the picture; also returns its position and radius."""
    height, width = light.shape[:2]
    radius = 0.11 * height
    x, y = width * (0.25 + 0.5 * frame / frames), height * (0.45 + 0.2 * np.sin(0.7 * frame))
    down, across = np.mgrid[0:height, 0:width].astype(np.float32)
    inside = np.clip(radius - np.hypot(across - x, down - y) + 0.5, 0, 1)[..., None]
    stripes = 0.5 + 0.4 * np.sin((across - x) * 0.7 + (down - y) * 0.25)
    ball = stripes[..., None] * np.array([0.9, 0.5, 0.3], np.float32) * max(0.2, float(light.mean()) * 2)
    return light * (1 - inside) + np.clip(ball, 0, 1) * inside, {"obj_cx": x, "obj_cy": y, "obj_radius": radius}


def make(picture, folder, kind, dice):
    width, height = kind["size"]
    frames, reference = kind["frames"], kind["frames"] // 2
    places, turns = path_of(frames, reference, kind.get("motion", 0), kind.get("turn", 0), dice)
    light = scene(picture, kind["size"], int(np.abs(places).max()) + 40) * kind.get("light", 1)
    os.makedirs(folder, exist_ok=True)
    geometry, data = [], []
    for frame in range(frames):
        onto = cv2.invertAffineTransform(cv2.getRotationMatrix2D((width / 2, height / 2), turns[frame], 1))
        onto[:, 2] += np.array([light.shape[1] - width, light.shape[0] - height]) / 2 + places[frame]
        seen = cv2.warpAffine(
            light, onto, (width, height), flags=cv2.INTER_LANCZOS4 | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101)
        seen, where = np.clip(seen, 0, 1), {}
        if kind.get("ball"):
            seen, where = with_ball(seen, frame, frames)
        geometry.append(
            {"dx": float(places[frame][0]), "dy": float(places[frame][1]), "rot_deg": float(turns[frame]), **where})
        if frame == reference:
            clean = np.round(255 * encoded(seen)).astype(np.uint8)
            cv2.imwrite(os.path.join(folder, "clean.png"), clean[..., ::-1])
        else:
            phase = 0.9 * (frame - reference)
            lags = np.array([0, 0.5, -0.4])
            gains = 1 + kind.get("flicker", 0) * np.sin(phase + lags) - kind.get("flicker", 0) * np.sin(lags)
            seen = seen * gains.astype(np.float32)
        noise = dice.normal(size=seen.shape).astype(np.float32) * np.sqrt(kind["shot"] * seen + kind["read"])
        noisy = np.clip(seen + (interpolated(noise) if kind.get("bayer") else noise), 0, 1)
        codes = np.round(255 * encoded(noisy))
        if "jpeg" in kind:
            options = [
                cv2.IMWRITE_JPEG_QUALITY, kind["jpeg"],
                cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422]
            data.append(cv2.imencode(".jpg", codes[..., ::-1].astype(np.uint8), options)[1].tobytes())
        else:
            data.append(yuyv(codes))
    with open(os.path.join(folder, "frames.mjpeg" if "jpeg" in kind else "frames.yuyv"), "wb") as file:
        file.write(b"".join(data))
    about = {"width": width, "height": height, "frames": frames, "ref_index": reference, "geometry": geometry}
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump(about, file, indent=1)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pictures", required=True, help="a folder of pictures with as little noise as possible")
    options.add_argument("--set", required=True, help="the folder for the bursts")
    named = {kind["name"]: kind for kind in KINDS + QUIET_KINDS}
    options.add_argument("--kind", choices=named, help="make all bursts of this kind")
    options.add_argument("--seed", type=int, default=1, help="the seed of the random numbers (default: 1)")
    given = options.parse_args()
    if given.seed < 0:
        options.error("the seed is a number from 0")
    try:
        os.makedirs(given.set, exist_ok=True)
        names = sorted(os.listdir(given.pictures))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    endings = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")
    pictures = [name for name in names if name.lower().endswith(endings)]
    if not pictures:
        sys.exit(f"no pictures in {given.pictures}")
    kinds = [named[given.kind]] if given.kind else KINDS
    for number, picture in enumerate(pictures):
        kind = kinds[number % len(kinds)]
        name = f"{kind['name']}-{os.path.splitext(picture)[0]}"
        random = np.random.default_rng(given.seed + number)
        make(os.path.join(given.pictures, picture), os.path.join(given.set, name), kind, random)
        print(name)


if __name__ == "__main__":
    main()
