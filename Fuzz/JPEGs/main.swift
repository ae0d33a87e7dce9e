// SPDX-License-Identifier: MIT
// Fuzzes the reader of concatenated JPEGs.

import FuzzSupport
import LivecapFrameFiles
import LivecapFrames

fuzz { bytes, count in
    withInputFile(UnsafeRawBufferPointer(start: bytes, count: count)) { path in
        exercise { () throws(FrameFileError) in try openFrameFile(path, ImportSettings(format: .mjpeg)) }
    }
    return 0
}
