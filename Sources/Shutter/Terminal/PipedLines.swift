// SPDX-License-Identifier: MIT
// Decodes keys from the lines of a pipe.

/// Converts the lines of a pipe or file to keys: a line is a press, unless it is another key alone. Accepts arbitrary
/// bytes, in pieces of any size.
struct PipedLines {
    /// The start of the current line: enough to distinguish a single key from a longer text.
    private var line: [UInt8] = []
    private static let longest = 8

    /// The keys of the lines that end in the next bytes.
    mutating func keys(in bytes: some Sequence<UInt8>) -> [TerminalKeys.Key] {
        var keys: [TerminalKeys.Key] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                keys.append(key())
            } else if line.count < Self.longest, ![UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0D].contains(byte) {
                line.append(byte)
            }
        }
        return keys
    }

    /// The key of a last line without an end; nil if there is none.
    mutating func last() -> TerminalKeys.Key? { line.isEmpty ? nil : key() }

    private mutating func key() -> TerminalKeys.Key {
        defer { line.removeAll(keepingCapacity: true) }
        guard let text = String(validating: line, as: UTF8.self), text.count == 1, let key = text.first else {
            return .press
        }
        return .character(key)
    }
}
