// SPDX-License-Identifier: MIT
// Fuzzes the settings of headerless raw frames: their parsing and their effect on a file.

import FuzzSupport
import LivecapFrameFiles
import LivecapFrames

// The first three lines are the format, size and rate as a user would write them. The rest is the
// file.
fuzz { bytes, count in
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return 0 }
    func text(_ index: Int) -> String { String(decoding: parts[index], as: UTF8.self) }
    let settings = ImportSettings(
        format: PixelFormat(named: text(0)), size: FrameSize(text(1)), rate: FrameRate(text(2)))
    withInputFile(UnsafeRawBufferPointer(rebasing: parts[3])) { path in
        exercise { () throws(FrameFileError) in try openFrameFile(path, settings) }
    }
    return 0
}
