#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `livecap serve` with µStreamer: the processor time they take, and how late their viewers see each frame.

  ustreamer.py [--livecap PROGRAM] [--ustreamer PROGRAM] [--viewers N] [--size WxH] [--seconds N] [--rounds N]

Both programs read the same prepared JPEG frames at 30 fps through V4L2, from a preloaded library that plays a camera
(fake_video.c), and pass them on untouched. They take turns. Viewers are one process (viewers.c) on this machine, whose
time does not count; each reads the stream of parts that both programs have at /stream. Prints, for each program, the
median of its rounds:

  processor  user and system time of the whole program, per second
  frames     frames per second of all viewers, and of the worst
  latency    from the frame's time, which is in a comment of its JPEG, to its last byte at a viewer: median and p99

Needs a C compiler and Debian's ustreamer.
"""
import argparse
import json
import os
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMMENT = b"\xff\xfe\x00\x0e" + bytes(12)


def build(folder):
    library, viewers = os.path.join(folder, "fake_video.so"), os.path.join(folder, "viewers")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "fake_video.c")], check=True)
    subprocess.run(["cc", "-O2", "-o", viewers, os.path.join(HERE, "viewers.c")], check=True)
    return library, viewers


def prepare_frames(livecap, size, folder, count=16):
    """Frames of a synthetic scene, each with room for its time in a comment. Returns the mean count of their bytes."""
    movie, frames = os.path.join(folder, "scene.mjpg"), os.path.join(folder, "frames")
    subprocess.run([livecap, "record", "--synthetic", "handheld", "--size", size, "--format", "MJPG",
                    "--frames", str(count), "-o", movie, "--quiet"], check=True)
    with open(movie, "rb") as file:
        jpegs = [b"\xff\xd8" + part for part in re.split(rb"(?<=\xff\xd9)\xff\xd8", file.read()[2:])]
    with open(frames, "wb") as file:
        for jpeg in jpegs:
            marked = jpeg[:2] + COMMENT + jpeg[2:]
            file.write(struct.pack("<I", len(marked)) + marked)
    return frames, sum(map(len, jpegs)) / len(jpegs)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_time(process):
    """Seconds of user and system time of a running process, with all its threads."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_streaming(port):
    """Whether the first frame of the camera is there."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as viewer:
            viewer.sendall(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            viewer.settimeout(2)
            received = b""
            while len(received) < 4096:
                received += viewer.recv(4096)
            return b"LCBT" in received
    except OSError:
        return False


def await_stream(server, port, log):
    """Waits until a server has frames; ends with what it says if it has none."""
    deadline = time.monotonic() + 20
    while not is_streaming(port):
        if server.poll() is not None or time.monotonic() > deadline:
            with open(log, encoding="utf-8", errors="replace") as file:
                sys.exit(f"no frames of {' '.join(server.args)}\n{file.read()}")
        time.sleep(0.1)


def camera(library, frames, size, folder):
    """The environment in which programs find the camera."""
    node = os.path.join(folder, "video0")
    open(node, "wb").close()
    return {**os.environ, "LD_PRELOAD": library, "FAKE_VIDEO": node, "FAKE_FRAMES": frames, "FAKE_SIZE": size,
            "FAKE_RATE": "30"}


def serve(livecap, environment, size, port, library):
    return [livecap, "serve", "--device", environment["FAKE_VIDEO"], "--size", size, "--always-on",
            "--listen", f"127.0.0.1:{port}", "--library", library]


def measure(command, port, environment, viewers, options):
    log = environment["FAKE_VIDEO"] + ".log"
    with open(log, "wb") as file:
        server = subprocess.Popen(command, env=environment, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
    try:
        await_stream(server, port, log)
        crowd = subprocess.Popen(
            [viewers, str(port), "/stream", str(options.viewers), str(options.seconds)], stdout=subprocess.PIPE,
            text=True)
        crowd.stdout.readline()
        time.sleep(1)
        before, begun = processor_time(server.pid), time.monotonic()
        time.sleep(options.seconds - 0.2)
        used = (processor_time(server.pid) - before) / (time.monotonic() - begun)
        result = json.loads(crowd.stdout.readline())
        if crowd.wait():
            sys.exit("ustreamer: the viewers failed")
    finally:
        server.terminate()
        server.wait()
    return {"processor": used * 100, **result}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--livecap", default=".build/release/livecap")
    parser.add_argument("--ustreamer", default="ustreamer")
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library, viewers = build(folder)
        frames, mean = prepare_frames(options.livecap, options.size, folder)
        environment = camera(library, frames, options.size, folder)
        print(f"{options.viewers} viewers, {options.size} at 30 fps, {mean / 1024:.0f} KiB a frame; "
              f"load {os.getloadavg()[0]:.1f}")
        results = {"livecap": [], "ustreamer": []}
        for number in range(options.rounds):
            port = free_port()
            results["livecap"].append(measure(
                serve(options.livecap, environment, options.size, port, f"{folder}/library{number}"),
                port, environment, viewers, options))
            port = free_port()
            results["ustreamer"].append(measure(
                [options.ustreamer, "--device", environment["FAKE_VIDEO"], "--resolution", options.size, "--format",
                 "MJPEG", "--encoder", "HW", "--desired-fps", "30", "--host", "127.0.0.1", "--port", str(port),
                 "--tcp-nodelay"],
                port, environment, viewers, options))
        for name, rounds in results.items():
            middle = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
            print(f"{name:10} processor {middle['processor']:5.1f} %   frames {middle['framesPerSecond']:.1f} "
                  f"(worst {middle['worst']:.1f}) per second   latency {middle['p50Ms']:.2f}, {middle['p99Ms']:.2f} ms")


if __name__ == "__main__":
    main()
