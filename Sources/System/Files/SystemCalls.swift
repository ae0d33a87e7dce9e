// SPDX-License-Identifier: MIT
// System calls on files that are retried when interrupted or need more than one line.

import Glibc

/// Repeats a call while signals interrupt it.
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        guard answer < 0, errno == EINTR else { return answer }
    }
}

/// Fills `bytes` from `offset` of a file. Returns the number of bytes read, which is less only at the end of the file,
/// or -1 with `errno` set.
package func readAll(_ descriptor: Int32, at offset: Int, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    while done < bytes.count {
        let got = uninterrupted {
            pread(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
        }
        guard got >= 0 else { return -1 }
        if got == 0 { break }
        done += got
    }
    return done
}

/// Creates a folder that only its owner may enter, with a unique name: `prefix` and a few letters. Nil with `errno` set
/// on failure.
package func makeTemporaryFolder(_ prefix: String) -> String? {
    // mkdtemp(3) replaces the six Xs with letters.
    var template = (prefix + String(repeating: "X", count: 6)).fileNameBytes
    return template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { FileName.text(cString: $0) } }
}
