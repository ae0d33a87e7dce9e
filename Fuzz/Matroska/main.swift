// SPDX-License-Identifier: MIT
// Fuzzes the reader of JPEG pictures in Matroska files.

import FuzzSupport
import LivecapFrameFiles

fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count)) { path in
        exercise { () throws(FrameFileError) in try openFrameFile(path) }
    }
    return 0
}
