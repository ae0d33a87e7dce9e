// SPDX-License-Identifier: MIT
// Fuzzes the export of recordings from untrusted sources for other programs.

import FuzzSupport
import LiveCapture
import LivecapFrameFiles

// The first byte of the input selects what to write; the rest is a dump, whose checksums are treated as correct.
fuzz { bytes, count in
    guard count > 1 else { return 0 }
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    withInputFile(UnsafeRawBufferPointer(rebasing: input[1...])) { path in
        guard let file = try? openDumpIgnoringChecksums(path), file.frameCount <= 64 else { return }
        let kinds = MovieKind.allCases
        let kind = kinds[Int(input[0]) % kinds.count]
        let folder = ScratchFolder()
        do throws(FrameFileError) {
            // Frames that take more are refused by name; taking more than planned is a finding, of libFuzzer's limits.
            let made = try FrameExport(
                file, to: "\(folder.path)/out\(kind == .frames ? "/" : "")", as: kind, memory: 32 << 20)
            precondition(made.map { $0.frames + $0.leftOut } == file.frameCount, "every frame is counted")
        } catch {
            _ = (error.message, error.hint)
        }
    }
    return 0
}
