#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the page of `livecap serve` in a browser on the same machine: how late it is, and how soon it is there.

  browser.py [--livecap PROGRAM] [--browser PROGRAM] [--size WxH] [--frames N] [--taps N] [--openings N]

The camera is a preloaded library (fake_video.c) with prepared JPEG frames at 30 fps, each of which shows its number in
black and white squares. Prints each figure beside its aim:

  glass      from a frame's time until the page's canvas holds it, read back from the canvas's pixels: median and p99,
             in intervals between frames and in milliseconds
  painted    frames that the page painted, per second, and those whose pixels were not of the frame that it names
  tap        from the finger in the page to its hearing of the photo; the same shot over HTTP by another program, from
             sending its request to reading the photo; and the difference of the medians. Both take turns.
  opening    from the beginning of the navigation to the first painted frame: median
  page       the page's files as they are transferred, with their headers

Times in the page are compared with the frames' by the server's clock, which the page asks for 50 times: the answer that
came fastest counts, and is off by less than half of what it took. Needs numpy, opencv-python-headless, a C compiler,
and Debian's chromium-headless-shell and chromium-driver.
"""
import argparse
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import cv2
import numpy as np

import ustreamer

FRAMES, BITS, SQUARE, FPS = 64, 6, 32, 30

# Runs before the page's own scripts. What the page says it has painted is compared with the canvas's pixels at once.
HOOK = """
const seen = window.seen = { painted: [], taps: [], photos: [] };
let page;
function number() {
    const canvas = document.getElementById("view"), scale = canvas.width / WIDTH;
    const square = SQUARE * scale;
    const row = canvas.getContext("2d").getImageData(0, Math.round(square / 2), Math.ceil(BITS * square), 1).data;
    let number = 0;
    for (let bit = 0; bit < BITS; bit += 1) {
        if (row[4 * Math.round((bit + 0.5) * square)] > 127) number |= 1 << bit;
    }
    return number;
}
function watch(shot) {
    let state = shot.state;
    Object.defineProperty(shot, "state", {
        get: () => state,
        set(news) {
            state = news;
            if (news === "photo" || news === "proxy") seen.photos.push(performance.now());
        },
    });
}
Object.defineProperty(window, "livecap", {
    get: () => page,
    set(value) {
        page = value;
        let painted = page.painted, shots = page.shots;
        Object.defineProperty(page, "painted", {
            get: () => painted,
            set(id) {
                painted = id;
                if (id) seen.painted.push([id, number(), performance.now()]);
            },
        });
        Object.defineProperty(page, "shots", {
            get: () => shots,
            set(list) {
                shots = list;
                watch(list.at(-1));
            },
        });
    },
});
addEventListener("pointerdown", event => seen.taps.push(event.timeStamp), true);
"""

# The server's clock less the page's, in milliseconds.
CLOCK = """
let best = Infinity, offset = 0;
for (let round = 0; round < 50; round += 1) {
    const sent = performance.now();
    const { nowNs } = await (await fetch("/status")).json();
    const heard = performance.now();
    if (heard - sent < best) [best, offset] = [heard - sent, Number(BigInt(nowNs)) / 1e6 - (sent + heard) / 2];
}
return [offset, best];
"""


class Browser:
    """A window of a browser that chromedriver has started: https://www.w3.org/TR/webdriver2/"""

    def __init__(self, program, width, height):
        port = ustreamer.free_port()
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.base = f"http://127.0.0.1:{port}/session"
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     f"--window-size={width},{height}"]
        wishes = {"browserName": "chrome", "goog:chromeOptions": {"binary": program, "args": arguments}}
        deadline = time.monotonic() + 20
        while True:
            try:
                session = self.post("", capabilities={"alwaysMatch": wishes})
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self.base += f"/{session['sessionId']}"

    def post(self, path, **parameters):
        request = urllib.request.Request(
            self.base + path, json.dumps(parameters).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.post("/execute/sync", script=script, args=[])

    def before_each_page(self, script):
        self.post("/goog/cdp/execute", cmd="Page.addScriptToEvaluateOnNewDocument", params={"source": script})

    def wait(self, condition, what):
        deadline = time.monotonic() + 20
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > deadline:
                sys.exit(f"browser: no {what}")

    def tap(self, x, y):
        finger = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown"}, {"type": "pointerUp"}]
        self.post("/actions", actions=[
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": finger}])

    def close(self):
        """Ends the driver with its browsers, which are of its process group."""
        os.killpg(self.driver.pid, signal.SIGTERM)
        self.driver.wait()


def number_frames(name):
    """Draws each frame's number into it, as bright and dark squares in its upper left corner."""
    with open(name, "rb") as file:
        data = file.read()
    marked, at = b"", 0
    for number in range(FRAMES):
        count = int.from_bytes(data[at:at + 4], "little")
        picture = cv2.imdecode(np.frombuffer(data[at + 4:at + 4 + count], np.uint8), cv2.IMREAD_COLOR)
        for bit in range(BITS):
            picture[:SQUARE, bit * SQUARE:(bit + 1) * SQUARE] = 235 if number >> bit & 1 else 16
        jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()
        jpeg = jpeg[:2] + ustreamer.COMMENT + jpeg[2:]
        marked += len(jpeg).to_bytes(4, "little") + jpeg
        at += 4 + count
    with open(name, "wb") as file:
        file.write(marked)


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def report(name, words, value, aim):
    missed = "" if aim is None or value <= aim[0] else " MISSED"
    print(f"{name:8} {words}" + (f" (aim: {aim[1]}){missed}" if aim else ""))


def frame_clock(port):
    """A frame's time in milliseconds, and its number: those of all others follow."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/snapshot") as answer:
        jpeg = answer.read()
    at = jpeg.index(b"LCBT")
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    number = sum(1 << bit for bit in range(BITS) if picture[SQUARE // 2, int((bit + 0.5) * SQUARE)] > 127)
    return int.from_bytes(jpeg[at + 4:at + 12], "little") / 1e6, number


def measure_glass(browser, port, frames):
    offset, error = browser.run(CLOCK)
    browser.run("seen.painted = []")
    begun = time.monotonic()
    browser.wait(f"seen.painted.length >= {frames}", "frames")
    painted, span = browser.run("return seen.painted"), time.monotonic() - begun
    time_zero, number_zero = frame_clock(port)
    interval, cycle, lags, wrong = 1000 / FPS, FRAMES * 1000 / FPS, [], 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/ring") as answer:
        times = {frame["id"]: int(frame["timeNs"]) / 1e6 for frame in json.load(answer)["frames"]}
    for frame, number, at in painted:
        # The newest frame of that number before it was painted.
        first = time_zero + (number - number_zero) * interval
        lag = (at + offset - first) % cycle
        lags.append(lag)
        if frame in times and abs(at + offset - lag - times[frame]) > interval / 2:
            wrong += 1
    print(f"         the clocks agree to {error / 2:.1f} ms")
    middle, late = statistics.median(lags), quantile(lags, 0.99)
    report("glass", f"{middle / interval:.2f}, {late / interval:.2f} intervals ({middle:.1f}, {late:.1f} ms)",
           middle / interval, (1.2, "median under 1.2 intervals"))
    report("painted", f"{len(painted) / span:.1f} per second, {wrong} of another frame", wrong, (0, "none of another"))


def shoot(port, proof):
    """Takes a photo over HTTP; returns milliseconds until it is announced."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    begun = time.monotonic()
    connection.request("POST", "/shots?wait=1", "{}", {"Livecap-Proof": proof})
    answer = connection.getresponse()
    answer.read()
    took = (time.monotonic() - begun) * 1000
    connection.close()
    if answer.status != 201:
        sys.exit(f"browser: a shot was answered {answer.status}")
    return took


def measure_taps(browser, port, count):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status") as answer:
        proof = json.load(answer)["proof"]
    box = browser.run("const box = document.getElementById('shutter').getBoundingClientRect();"
                      "return [box.x + box.width / 2, box.y + box.height / 2]")
    others = []
    browser.run("seen.taps = []; seen.photos = []")
    for number in range(count):
        time.sleep(0.15)
        browser.tap(round(box[0]), round(box[1]))
        browser.wait(f"seen.photos.length > {number}", "photo")
        time.sleep(0.15)
        others.append(shoot(port, proof))
    taps, photos = browser.run("return [seen.taps, seen.photos]")
    own = [photo - tap for tap, photo in zip(taps, photos)]
    over = statistics.median(own) - statistics.median(others)
    report("tap", f"{statistics.median(own):.1f} ms in the page, {statistics.median(others):.1f} ms over HTTP: "
           f"{over:+.1f} ms", over, (50, "under 50 ms more"))


def measure_opening(browser, url, count):
    times = []
    for _ in range(count):
        browser.post("/url", url="about:blank")
        browser.post("/url", url=url)
        browser.wait("seen.painted.length > 0", "first frame")
        times.append(browser.run("return seen.painted[0][2]"))
    middle = statistics.median(times)
    report("opening", f"{middle:.0f} ms to the first frame ({min(times):.0f} to {max(times):.0f})", middle,
           (300, "300 ms"))
    entries = browser.run("return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType("
                          "'resource')].map(({ name, transferSize }) => [name, transferSize])")
    files = [size for name, size in entries if name == url or re.search(r"\.(js|css|svg|webmanifest)$", name)]
    report("page", f"{sum(files) / 1000:.1f} kB in {len(files)} files", sum(files) / 1000, (60, "under 60 kB"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--livecap", default=".build/release/livecap")
    parser.add_argument("--browser", default="/usr/bin/chromium-headless-shell")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--taps", type=int, default=20)
    parser.add_argument("--openings", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library, _ = ustreamer.build(folder)
        frames, mean = ustreamer.prepare_frames(options.livecap, options.size, folder, FRAMES)
        number_frames(frames)
        environment = ustreamer.camera(library, frames, options.size, folder)
        port = ustreamer.free_port()
        url = f"http://127.0.0.1:{port}/"
        with open(os.path.join(folder, "log"), "wb") as log:
            server = subprocess.Popen(
                ustreamer.serve(options.livecap, environment, options.size, port, f"{folder}/library"),
                env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        browser = None
        try:
            ustreamer.await_stream(server, port, f"{folder}/log")
            print(f"{options.size} at {FPS} fps, {mean / 1024:.0f} KiB a frame; load {os.getloadavg()[0]:.1f}")
            browser = Browser(options.browser, 1280, 800)
            width = options.size.split("x")[0]
            hook = HOOK.replace("WIDTH", width).replace("SQUARE", str(SQUARE)).replace("BITS", str(BITS))
            browser.before_each_page(f"(() => {{ {hook} }})();")
            measure_opening(browser, url, options.openings)
            measure_glass(browser, port, options.frames)
            measure_taps(browser, port, options.taps)
        finally:
            if browser:
                browser.close()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
