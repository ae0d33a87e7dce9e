// SPDX-License-Identifier: MIT
// Splits a stream of bytes into lines, in bounded memory.

/// Collects bytes and returns complete lines. A line that is too long is reported once and skipped to its end.
package struct LineSplitter {
    /// The content between two line ends.
    package enum Line: Hashable {
        case whole([UInt8])
        case tooLong
    }

    private let maxBytes: Int
    private var pending: [UInt8] = []
    private var isSkipping = false

    /// Creates a splitter for lines of at most `maxBytes`, not counting their ends.
    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// The lines that `bytes` complete, and any line that has just become too long.
    package mutating func lines(in bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(.whole(pending)) }
                pending.removeAll(keepingCapacity: true)
                isSkipping = false
            } else if !isSkipping {
                pending.append(byte)
                guard pending.count > maxBytes else { continue }
                lines.append(.tooLong)
                pending.removeAll(keepingCapacity: true)
                isSkipping = true
            }
        }
        return lines
    }

    /// The bytes after the last line end, once the stream has ended; nil if there are none.
    package mutating func rest() -> Line? {
        defer { pending = [] }
        return pending.isEmpty ? nil : .whole(pending)
    }
}
