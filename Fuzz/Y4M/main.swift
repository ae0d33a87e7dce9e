// SPDX-License-Identifier: MIT
// Fuzzes the reader of .y4m files.

import FuzzSupport
import LivecapFrameFiles

// Inputs that begin differently reach other parsers, which have their own targets.
fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count), after: "YUV4MPEG2 ") { path in
        exercise { () throws(FrameFileError) in try openFrameFile(path) }
    }
    return 0
}
