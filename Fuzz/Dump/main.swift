// SPDX-License-Identifier: MIT
// Fuzzes the reader of raw frame dumps, with and without its checksums, and replays the accepted frames.

import FuzzSupport
import LivecapFrameFiles

// Checksums stop nearly every mutation, so the second pass accepts wrong ones.
fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count)) { path in
        exercise { () throws(FrameFileError) in try openFrameFile(path) }
        exercise { () throws(FrameFileError) in try openDumpIgnoringChecksums(path) }
    }
    return 0
}
