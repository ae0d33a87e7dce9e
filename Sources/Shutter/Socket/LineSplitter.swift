// SPDX-License-Identifier: MIT
// A stream of bytes as lines, in bounded memory.

/// Takes bytes as they come and gives whole lines. One that is too long is told once and passed over to its end.
package struct LineSplitter {
    /// What lies between two line ends.
    package enum Line: Hashable {
        case whole([UInt8])
        case tooLong
    }

    private let mostBytes: Int
    private var pending: [UInt8] = []
    private var isSkipping = false

    /// Lines of at most `mostBytes`, without their ends.
    package init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// The lines that `bytes` bring to an end, and one that has just become too long.
    package mutating func lines(in bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(.whole(pending)) }
                pending.removeAll(keepingCapacity: true)
                isSkipping = false
            } else if !isSkipping {
                pending.append(byte)
                guard pending.count > mostBytes else { continue }
                lines.append(.tooLong)
                pending.removeAll(keepingCapacity: true)
                isSkipping = true
            }
        }
        return lines
    }

    /// What came after the last line end, once no more comes; nil when nothing did.
    package mutating func rest() -> Line? {
        defer { pending = [] }
        return pending.isEmpty ? nil : .whole(pending)
    }
}
