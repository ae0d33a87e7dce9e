#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Reads frames of `livecap share` where they lie, and prints of each its number, time, size and mean byte.
# livecap-share.h has the layout. Usage: reader.py [SOCKET [COUNT]]
import ctypes, mmap, os, select, socket, struct, sys, threading

RECORD = struct.Struct("@QqqQQIIIHBB")  # counter, time, uncertainty, offset, size, epoch, sequence, lost, flags, ...
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
FUTEX = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
NAP = struct.pack("@ll", 0, 200_000_000)
fence = threading.Lock()  # taking a lock keeps the reads before it and after it apart


def next_ring(connection):
    """Waits for a ring and maps it. Returns its address and its bytes, or ends the program with livecap."""
    message, files, _, _ = socket.recv_fds(connection, 16, 1)
    magic, version, kind = struct.unpack("=8sII", message or sys.exit())
    if magic != b"livecap\0" or version != 1 or kind != 1:
        sys.exit("reader.py: refused" if kind > 1 else "reader.py: another version")
    size = os.fstat(files[0]).st_size
    address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, files[0], 0)
    os.close(files[0])
    return address, memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


def frames(connection):
    """All frames from the oldest on: record, bytes, and a function that says whether the frame is still intact."""
    address, ring = next_ring(connection)
    words, halves, following = ring.cast("Q"), ring.cast("I"), 0
    while True:
        wake, ended, limit, found = halves[96], halves[97], words[32], None
        offset, stride, count = struct.unpack_from("=III", ring, 12)
        for slot in range(offset, offset + stride * count, stride) if following < limit else ():
            generation, record = words[slot // 8], RECORD.unpack_from(ring, slot + 8)
            if generation % 2 == 0 and following <= record[0] < limit and (not found or record[0] < found[2][0]):
                found = slot // 8, generation, record
        if found and is_intact(words, *found[:2]):
            slot, generation, record = found
            following = record[0] + 1
            yield record, ring[record[3]:record[3] + record[4]], lambda: is_intact(words, slot, generation)
            if not is_intact(words, slot, generation):
                following = words[32]  # too slow: the oldest frames are the next to go
        elif following >= limit:  # sleep for a fifth of a second at most: livecap may be killed and wake nobody
            if not ended:
                libc.syscall(FUTEX, ctypes.c_void_p(address + 384), 0, wake, NAP, None, 0)
            if ended or select.select([connection], [], [], 0)[0] and words[32] <= following:
                address, ring = next_ring(connection)
                words, halves, following = ring.cast("Q"), ring.cast("I"), 0


def is_intact(words, slot, generation):
    with fence:
        return words[slot] == generation


runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1] if len(sys.argv) > 1 else runtime + "/livecap/share.sock")
left = int(sys.argv[2]) if len(sys.argv) > 2 else -1
for record, picture, is_intact_now in frames(connection):
    mean = sum(picture) / record[4]
    if is_intact_now():  # livecap waits for nobody: what was read counts only if the frame is still there
        print(record[0], record[1], record[4], f"{mean:.2f}", flush=True)
        left -= 1
    if left == 0:
        break
