# SPDX-License-Identifier: MIT
# A scene whose truth is known: a person before a finely patterned wall with two green lamps. `make` films it, and
# `Look` says of a picture of it how much detail its wall and its face have, wherever `framing` has cut it.

import os, subprocess

SIZE, RATE = (1280, 720), 15
# Where the photograph of 640x360 is in the scene, and how much it is enlarged.
PLACE, SCALE = (280, 318), 1.125
# The person's outline in the photograph.
OUTLINE = [
    (50, 360), (75, 330), (105, 300), (140, 268), (145, 235), (165, 205), (200, 186), (226, 182), (220, 155),
    (205, 145), (194, 125), (192, 98), (202, 65), (228, 40), (262, 22), (300, 19), (338, 31), (363, 55), (376, 90),
    (373, 122), (360, 148), (344, 164), (334, 172), (325, 195), (318, 216), (345, 232), (370, 268), (380, 300),
    (400, 306), (424, 325), (440, 360),
]
# Left, top, width and height: parts of the wall, on both sides of the head, and the face. Blocks of 16 fit.
WALLS = [(224, 288, 208, 192), (768, 288, 208, 192)]
FACE = (544, 437, 112, 96)
# The middles of the lamps, and their radius. Blurred, they stay where they are, so they show what part is in a picture.
LAMPS, RADIUS = [(290, 620), (900, 620)], 26


def ffmpeg(*words):
    """Runs ffmpeg, and returns what it writes to standard output."""
    done = subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *map(str, words)], capture_output=True)
    if done.returncode:
        raise RuntimeError(f"ffmpeg {' '.join(map(str, words))} failed: {done.stderr.decode(errors='replace')}")
    return done.stdout


def wall():
    """Squares of 8 pixels, which every blur takes away, on squares of 64, which only a strong one does."""
    def row(y):
        line = bytearray()
        for x in range(SIZE[0]):
            grey = 150 + (22 if (x // 8 + y // 8) % 2 else -22) + (18 if (x // 64 + y // 64) % 2 else -18)
            line += bytes((grey + 6, grey, grey - 6))
        return line

    rows = {key: row(key[0] * 8 + key[1] * 64) for key in ((a, b) for a in (0, 1) for b in (0, 1))}
    pixels = bytearray().join(rows[(y // 8) % 2, (y // 64) % 2] for y in range(SIZE[1]))
    for left, top in LAMPS:
        for y in range(top - RADIUS, top + RADIUS + 1):
            half = int((RADIUS**2 - (y - top) ** 2) ** 0.5)
            begin = 3 * (y * SIZE[0] + left - half)
            pixels[begin:begin + 3 * (2 * half + 1)] = bytes((30, 200, 60)) * (2 * half + 1)
    return b"P6 %d %d 255\n" % SIZE + pixels


def mask():
    """White where the person is in the photograph."""
    width, height = 640, 360
    pixels = bytearray()
    for y in range(height):
        crossings = sorted(
            ax + (y + 0.5 - ay) * (bx - ax) / (by - ay)
            for (ax, ay), (bx, by) in zip(OUTLINE, OUTLINE[1:] + OUTLINE[:1]) if (ay > y + 0.5) != (by > y + 0.5))
        line = bytearray(width)
        for begin, end in zip(map(round, crossings[::2]), map(round, crossings[1::2])):
            line[begin:end] = b"\xff" * (end - begin)
        pixels += line
    return b"P5 %d %d 255\n" % (width, height) + pixels


def make(photograph, folder, seconds):
    """Makes `folder`/scene.png, and scene.mjpg, as a camera with noise would film it; all begins again every 2 s."""
    for name, picture in ("wall.ppm", wall()), ("mask.pgm", mask()):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(picture)
    size = f"{640 * SCALE:.0f}:{360 * SCALE:.0f}"
    ffmpeg(
        "-i", f"{folder}/wall.ppm", "-i", photograph, "-i", f"{folder}/mask.pgm", "-filter_complex",
        f"[2]gblur=2,scale={size}[mask];[1]scale={size}[photo];[photo][mask]alphamerge[person];"
        f"[0][person]overlay={PLACE[0]}:{PLACE[1]},format=rgb24", "-frames:v", 1, f"{folder}/scene.png")
    os.remove(f"{folder}/wall.ppm")
    os.remove(f"{folder}/mask.pgm")
    film = ffmpeg(
        "-loop", 1, "-framerate", RATE, "-i", f"{folder}/scene.png", "-frames:v", 2 * RATE, "-vf",
        "format=yuvj422p,noise=alls=5:allf=t", "-q:v", 5, "-f", "mjpeg", "-")
    with open(f"{folder}/scene.mjpg", "wb") as file:
        for _ in range(0, int(seconds), 2):
            file.write(film)


class Fault(Exception):
    """A picture that does not show the scene."""


def lamps(picture):
    """The middles of both lamps in a picture that is enlarged or reduced to the scene's size."""
    width, height = SIZE[0] // 4, SIZE[1] // 4
    pixels = ffmpeg("-i", picture, "-frames:v", 1, "-vf", f"scale={width}:{height}:flags=area,format=rgb24",
                    "-f", "rawvideo", "-")
    sums = [[0, 0, 0], [0, 0, 0]]
    for place in range(width * height):
        red, green, blue = pixels[3 * place:3 * place + 3]
        # Nothing else is green.
        weight = green - max(red, blue) - 12
        if weight > 0:
            x, y = place % width, place // width
            side = sums[x >= width // 2]
            side[0] += weight
            side[1] += weight * (4 * x + 2)
            side[2] += weight * (4 * y + 2)
    if min(side[0] for side in sums) < 300:
        raise Fault("it does not show the lamps on both sides of the person")
    return [(across / weight, down / weight) for weight, across, down in sums]


def grey(picture, part, size):
    """The brightness of a part of a picture, left, top, width and height as shares of it, enlarged or reduced."""
    left, top, across, down = part
    if min(left, top) < 0 or left + across > 1 or top + down > 1:
        raise Fault("it does not show the wall on both sides of the person")
    return ffmpeg(
        "-i", picture, "-frames:v", 1, "-vf",
        f"format=gray,crop=iw*{across}:ih*{down}:iw*{left}:ih*{top}:exact=1,scale={size[0]}:{size[1]}:flags=bicubic",
        "-f", "rawvideo", "-")


def fine(pixels, width):
    """How much neighbours differ, in codes."""
    rows = [pixels[begin:begin + width] for begin in range(0, len(pixels), width)]
    across = sum(abs(a - b) for row in rows for a, b in zip(row, row[1:]))
    down = sum(abs(a - b) for row, next in zip(rows, rows[1:]) for a, b in zip(row, next))
    return (across + down) / len(pixels)


def coarse(pixels, width):
    """The standard deviation of blocks of 16x16, in which the fine squares cancel out."""
    blocks = []
    for y in range(0, len(pixels) // width, 16):
        for x in range(0, width, 16):
            rows = (pixels[(y + row) * width + x:(y + row) * width + x + 16] for row in range(16))
            blocks.append(sum(map(sum, rows)) / 256)
    mean = sum(blocks) / len(blocks)
    return (sum((block - mean) ** 2 for block in blocks) / len(blocks)) ** 0.5


class Look:
    """What a picture of the scene shows: how much it is enlarged, and the detail and brightness of wall and face."""

    def __init__(self, picture):
        (left, leftTop), (right, rightTop) = lamps(picture)
        self.zoom = (right - left) / (LAMPS[1][0] - LAMPS[0][0])
        corner = LAMPS[0][0] - left / self.zoom, LAMPS[0][1] - (leftTop + rightTop) / 2 / self.zoom

        def part(rectangle):
            x, y, width, height = rectangle
            share = [(x - corner[0]) / SIZE[0], (y - corner[1]) / SIZE[1], width / SIZE[0], height / SIZE[1]]
            return grey(picture, [self.zoom * number for number in share], (width, height))

        walls, face = [part(wall) for wall in WALLS], part(FACE)
        self.fine = [fine(pixels, WALLS[0][2]) for pixels in walls]
        self.coarse = sum(coarse(pixels, WALLS[0][2]) for pixels in walls) / len(walls)
        self.wall = sum(map(sum, walls)) / sum(map(len, walls))
        self.face, self.features = sum(face) / len(face), fine(face, FACE[2])
