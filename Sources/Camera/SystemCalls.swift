// SPDX-License-Identifier: MIT
// System calls on files: not stopped half way, or with more than a line around them.

import Glibc

/// A call again and again while signals interrupt it.
package func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        guard answer < 0, errno == EINTR else { return answer }
    }
}

/// Fills `bytes` from `offset` of a file on; how many there were, fewer only at the file's end, or -1 and `errno`.
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

/// Makes a folder that nobody else may enter, of a name nobody else has: `prefix` and a few letters. Nil and `errno` where that
/// cannot be.
package func makeTemporaryFolder(_ prefix: String) -> String? {
    // What mkdtemp(3) puts letters in place of.
    var template = Array((prefix + String(repeating: "X", count: 6)).utf8CString)
    return template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
}
