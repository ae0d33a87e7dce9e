#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the pictures of movies, live photos and live fusion in README.md.

  moments.py [--livecap PROGRAM] [--output DIR]

All are of a synthetic scene. `movie-past.jpg` and `live-photo.jpg` are strips of the movies that livecap made, with the
time of each picture since it was asked for one; `live-fusion.jpg` is a frame, and what `livecap live` made of it. Needs
numpy, opencv-python-headless and ffmpeg.
"""
import argparse
import json
import os
import subprocess
import tempfile

import cv2
import numpy as np

# Drawn before it starts, so that a slow machine makes the same movie.
SCENE = "object:mark=no,prerender=60"
STRIP = (204, 115)
CROP, CORNER = (448, 360), (8, 322)
GAP = 6


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def pictures(movie):
    """The times and pictures of a movie, in seconds and BGR."""
    found = run(
        "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", movie)
    times = sorted(float(line.strip(",")) for line in found.split())
    video = cv2.VideoCapture(movie)
    for time in times:
        there, picture = video.read()
        if not there:
            return
        yield time, picture


def strip(movie, asked, offsets, word):
    """Pictures of a movie at offsets from `asked`, beside each other, each with its time; `word` is that of 0."""
    shown = list(pictures(movie))
    cells = []
    for offset in offsets:
        time, picture = min(shown, key=lambda each: abs(each[0] - asked - offset))
        cell = cv2.resize(picture, STRIP, interpolation=cv2.INTER_AREA)
        words = f"{time - asked:+.1f} s" if abs(time - asked) >= 0.05 else word
        foot = np.full((30, STRIP[0], 3), 255, np.uint8)
        (width, _), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)
        colour = (0, 0, 190) if words == word else (60, 60, 60)
        cv2.putText(
            foot, words, ((STRIP[0] - width) // 2, 21), cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, 1, cv2.LINE_AA)
        cells += [np.vstack([cell, foot]), np.full((STRIP[1] + 30, GAP, 3), 255, np.uint8)]
    return np.hstack(cells[:-1])


def movie_of_the_past(livecap, folder):
    movie = os.path.join(folder, "past.mp4")
    told = json.loads(run(
        livecap, "movie", "--synthetic", SCENE, "--size", "1280x720", "--pre", "2s", "-t", "3s", "-o", movie,
        "--json").splitlines()[-1])
    return strip(movie, told["preMs"] / 1000, [-2, -1.2, -0.6, 0, 0.8], "asked")


def live_photo(livecap, folder):
    photo, still = os.path.join(folder, "now.jpg"), os.path.join(folder, "still.jpg")
    movie = os.path.join(folder, "now.mp4")
    told = json.loads(run(
        livecap, "shoot", "--live", "--synthetic", SCENE + ",noise=4", "--size", "1280x720", "--at", "2s", "-o", photo,
        "--json").splitlines()[-1])
    with open(photo, "rb") as file:
        whole = file.read()
    with open(movie, "wb") as file:
        file.write(whole[len(whole) - told["movieBytes"]:])
    with open(still, "wb") as file:
        file.write(whole[:len(whole) - told["movieBytes"]])
    row = strip(movie, told["movieMomentMs"] / 1000, [-1.4, -0.7, 0, 0.7, 1.4], "still")
    picture = cv2.imread(still)
    height = round(picture.shape[0] * row.shape[1] / picture.shape[1])
    above = cv2.resize(picture, (row.shape[1], height), interpolation=cv2.INTER_AREA)
    return np.vstack([above, np.full((GAP, row.shape[1], 3), 255, np.uint8), row])


def fused_live(livecap, folder):
    """The same crop of a frame and of what was made of it."""
    recording, fused = os.path.join(folder, "scene.lcap"), os.path.join(folder, "fused.y4m")
    frames = os.path.join(folder, "frames.y4m")
    run(livecap, "record", "--synthetic", "object:mark=no,noise=4,motion=none", "--size", "1280x720", "-n", "40", "-o",
        recording)
    run(livecap, "export", recording, "-o", frames)
    run(livecap, "live", "--replay", recording, "-o", fused)
    (left, top), (width, height) = CORNER, CROP
    crops = []
    for path in (frames, fused):
        shown = [picture for _, picture in pictures(path)]
        crops.append(shown[-1][top:top + height, left:left + width])
    return np.hstack([crops[0], np.full((height, GAP, 3), 255, np.uint8), crops[1]])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--livecap", default=".build/release/livecap", help="the program")
    options.add_argument("--output", default="docs/images", help="the folder for the pictures (default: docs/images)")
    given = options.parse_args()
    made = {"movie-past": movie_of_the_past, "live-photo": live_photo, "live-fusion": fused_live}
    for name, make in made.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(given.output, name + ".jpg")
            cv2.imwrite(path, make(given.livecap, folder), [cv2.IMWRITE_JPEG_QUALITY, 88])
            print(path)


if __name__ == "__main__":
    main()
