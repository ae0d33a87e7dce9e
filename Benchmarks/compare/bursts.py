# SPDX-License-Identifier: MIT
# Reads bursts whose true picture is known, fuses them with livecap, and measures stills.
#
# A burst is a folder: clean.png (the truth of the reference frame), meta.json (width, height, frames, ref_index) and
# frames.yuyv.xz or frames.yuyv (headerless YUYV, BT.601, limited range) or frames.mjpeg (concatenated JPEGs).
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError:
    sys.exit("this needs numpy and OpenCV: pip install numpy opencv-python-headless")


def names(folder):
    """The names of the bursts in a folder, sorted."""
    return sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "meta.json")))


def meta(burst):
    with open(os.path.join(burst, "meta.json")) as file:
        return json.load(file)


def rgb(path):
    """A picture's R'G'B' in 8-bit codes, whatever its own depth."""
    image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if image is None:
        sys.exit(f"cannot read {path}")
    image = image.astype(np.float64) / (257 if image.dtype == np.uint16 else 1)
    return image[..., 2::-1] if image.ndim == 3 else np.dstack([image] * 3)


def luma(picture):
    """BT.601 limited-range luma."""
    return 16 + (65.481 * picture[..., 0] + 128.553 * picture[..., 1] + 24.966 * picture[..., 2]) / 255


def chroma(picture):
    """BT.601 limited-range Cb and Cr."""
    y = (65.481 * picture[..., 0] + 128.553 * picture[..., 1] + 24.966 * picture[..., 2]) / 219
    return 128 + 112 * (picture[..., 2] - y) / 225.93, 128 + 112 * (picture[..., 0] - y) / 178.755


def yuyv_frames(burst):
    """The bytes of all frames of an uncompressed burst."""
    packed = os.path.join(burst, "frames.yuyv.xz")
    if os.path.exists(packed):
        with lzma.open(packed) as file:
            return file.read()
    with open(os.path.join(burst, "frames.yuyv"), "rb") as file:
        return file.read()


def luma_frames(burst):
    """Every frame's luma in limited-range codes: as the camera delivered it, or as a viewer shows the JPEG."""
    about = meta(burst)
    width, height, count = about["width"], about["height"], about["frames"]
    mjpeg = os.path.join(burst, "frames.mjpeg")
    if not os.path.exists(mjpeg):
        raw = np.frombuffer(yuyv_frames(burst), np.uint8)
        return raw[: count * height * width * 2].reshape(count, height, width, 2)[..., 0].astype(np.float64)
    with open(mjpeg, "rb") as file:
        parts = file.read().split(b"\xff\xd9\xff\xd8")
    starts = [b""] + [b"\xff\xd8"] * (len(parts) - 1)
    ends = [b"\xff\xd9"] * (len(parts) - 1) + [b""]
    pictures = [start + part + end for start, part, end in zip(starts, parts, ends)]
    decoded = [cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR) for picture in pictures[:count]]
    return np.stack([luma(picture[..., ::-1].astype(np.float64)) for picture in decoded])


def shoot(livecap, burst, quality, out, extra=()):
    """Fuses all frames of a burst into `out` with livecap; returns what `--json` prints."""
    about = meta(burst)
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(burst, "frames.mjpeg")
        kind = "mjpeg"
        if not os.path.exists(source):
            source, kind = os.path.join(scratch, "frames.yuyv"), "yuyv"
            with open(source, "wb") as file:
                file.write(yuyv_frames(burst))
        after = about["frames"] - 1 - about["ref_index"]
        command = [
            livecap, "shoot", "--replay", source, "--input-format", kind,
            "--size", f"{about['width']}x{about['height']}", "--fps", "30", "--pace", "fast",
            "--at", f"{about['ref_index'] / 30 * 1000:.3f}ms", "--reference", "tap", "--quality", quality,
            "--frames", str(about["frames"]), "--after", str(after), "--format", "png", "-o", out, "--json", *extra,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}exit {done.returncode}")
    return json.loads(done.stdout.splitlines()[0])


def record(livecap, scene, size, count, path):
    """Records the first frames of a synthetic scene as YUYV; returns their bytes (format: docs/dump-format.md)."""
    subprocess.run(
        [livecap, "record", "--synthetic", scene, "--size", f"{size[0]}x{size[1]}", "--frames", str(count),
         "--pace", "fast", "--overwrite", "-o", path], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(path, "rb") as file:
        dump = file.read()
    place, frames = struct.unpack_from("<I", dump, 12)[0], []
    for _ in range(count):
        (length,) = struct.unpack_from("<Q", dump, place + 56)
        frames.append(dump[place + 80 : place + 80 + length])
        place += 80 + length
    return frames


def shoot_recording(livecap, recording, reference, count, quality, out):
    """Fuses frames of a recording into `out` with livecap; returns whether it succeeded."""
    done = subprocess.run(
        [livecap, "shoot", "--replay", recording, "--at", f"{reference / 30 * 1000:.3f}ms", "--reference", "tap",
         "--quality", quality, "--frames", str(count), "--after", str(count - 1 - reference), "--format", "png",
         "--overwrite", "-o", out], capture_output=True, text=True)
    if done.returncode:
        print(f"livecap shoot --quality {quality}: {done.stderr.strip()}", file=sys.stderr)
    return done.returncode == 0


def psnr(a, b):
    return float(10 * np.log10(255**2 / max(1e-9, np.mean((a - b) ** 2))))


def ssim(a, b):
    """Structural similarity over the 11x11 windows inside the picture, Gaussian with sigma 1.5."""
    def blur(picture):
        return cv2.GaussianBlur(picture, (11, 11), 1.5)

    mean_a, mean_b = blur(a), blur(b)
    var_a, var_b, covariance = blur(a * a) - mean_a**2, blur(b * b) - mean_b**2, blur(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    alike = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    return float((alike / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2)))[5:-5, 5:-5].mean())


def local_damage(still, single, truth, step=1, side=32, floor=0.5):
    """How much worse, in dB, a still is than the single frame, in windows of `side` x `side` pixels, `step` apart.

    Positive is worse. Mean squared errors below `floor` count as `floor`: they are invisible.
    """
    def error(picture):
        means = cv2.boxFilter((picture - truth) ** 2, cv2.CV_64F, (side, side), anchor=(0, 0))
        rows, columns = truth.shape[0] - side + 1, truth.shape[1] - side + 1
        return np.maximum(means[:rows:step, :columns:step], floor)

    return 10 * np.log10(error(still) / error(single))
