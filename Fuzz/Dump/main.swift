// SPDX-License-Identifier: MIT
// Fuzzes the raw frame dump reader, with its checksums on and off, and replays what it lets through.

import Camera
import FuzzSupport

// Checksums stop nearly every mutation, so the second pass takes wrong ones for right.
fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count)) { path in
        exercise { () throws(CameraError) in try openFrameFile(path) }
        exercise { () throws(CameraError) in try openDumpIgnoringChecksums(path) }
    }
    return 0
}
