#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Reads frames of `livecap share` where they lie, and prints of each its number, time, size and mean byte.
# livecap-share.h has the layout. Usage: reader.py [SOCKET [COUNT]]
import mmap, os, select, signal, socket, struct, sys, threading, time

RECORD = struct.Struct("@QqqQQIIIHBB")  # counter, time, uncertainty, offset, size, epoch, sequence, lost, flags, ...
fence = threading.Lock()  # taking a lock keeps the reads before it and after it apart


def next_ring(connection):
    """Waits for a ring and maps it, or ends the program with livecap."""
    message, files, _, _ = socket.recv_fds(connection, 16, 1)
    magic, version, kind = struct.unpack("=8sII", message or sys.exit())
    if magic != b"livecap\0" or version != 1 or kind != 1:
        sys.exit("reader.py: refused" if kind > 1 else "reader.py: another version")
    ring = memoryview(mmap.mmap(files[0], 0, prot=mmap.PROT_READ))
    os.close(files[0])
    return ring


def is_intact(words, slot, generation):
    with fence:
        return words[slot] == generation


def frames(connection):
    """All frames from the oldest on: record, bytes, and a function that says whether the frame is still intact."""
    ring, following = next_ring(connection), 0
    while True:
        words, ended = ring.cast("Q"), ring.cast("I")[97]
        (offset, stride, count), limit, found = struct.unpack_from("=III", ring, 12), words[32], None
        for slot in range(offset, offset + stride * count, stride) if following < limit else ():
            generation, record = words[slot // 8], RECORD.unpack_from(ring, slot + 8)
            if generation % 2 == 0 and following <= record[0] < limit and (not found or record[0] < found[2][0]):
                found = slot // 8, generation, record
        if found and is_intact(words, *found[:2]):
            slot, generation, record = found
            yield record, ring[record[3]:record[3] + record[4]], lambda: is_intact(words, slot, generation)
            # Too slow? The oldest frames are the next to go.
            following = record[0] + 1 if is_intact(words, slot, generation) else words[32]
        elif following >= limit and (ended or select.select([connection], [], [], 0)[0] and words[32] <= following):
            ring, following = next_ring(connection), 0
        elif following >= limit:
            time.sleep(0.002)  # readers in C and Swift sleep on the futex at `wake`, and so until the very moment


signal.signal(signal.SIGINT, signal.SIG_DFL)
folders = [os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.getuid()}"]
runtime = [folder for folder in folders if os.path.isdir(folder)]
usual = runtime[0] + "/livecap" if runtime else f"/tmp/livecap-{os.getuid()}"
path = sys.argv[1] if len(sys.argv) > 1 else usual + "/share.sock"
connection = socket.socket(socket.AF_UNIX)
if connection.connect_ex(path) or os.stat(path).st_uid not in (0, os.getuid()):
    sys.exit(f"reader.py: nothing shares frames at {path}: is livecap share running?")
left = int(sys.argv[2]) if len(sys.argv) > 2 else -1
for record, picture, is_intact_now in frames(connection):
    mean = sum(picture) / record[4]
    if is_intact_now():  # livecap waits for nobody: what was read counts only if the frame is still there
        print(record[0], record[1], record[4], f"{mean:.2f}", flush=True)
        left -= 1
    if left == 0:
        break
