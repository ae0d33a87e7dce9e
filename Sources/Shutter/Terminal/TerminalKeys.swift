// SPDX-License-Identifier: MIT
// Decodes keys from the bytes a terminal sends.

/// Converts the bytes of a terminal to keys. Accepts arbitrary bytes, in pieces of any size.
struct TerminalKeys {
    /// A key that was typed.
    enum Key: Hashable {
        /// Enter or space.
        case press
        /// Any other character.
        case character(Character)
        /// Ctrl-D.
        case end
    }

    private enum State {
        case plain
        /// After a carriage return. A line feed after it belongs to the same key.
        case afterReturn
        /// After ESC: either the sequence of an arrow or function key follows, or it was the Escape key.
        case escape
        /// Within `ESC [ ...`, up to a letter or ~.
        case control
        /// After `ESC O`, which one more byte completes.
        case single
        /// Within a multi-byte character.
        case character([UInt8], rest: Int)
    }
    private var state = State.plain

    /// Decodes the keys in the next bytes. Keys that send sequences (arrows, F1) are ignored.
    mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        // A sequence arrives in one piece, so an ESC with nothing after it is the Escape key.
        if case .escape = state {
            keys.append(.character("\u{1B}"))
            state = .plain
        }
        return keys
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .escape where byte == UInt8(ascii: "["): state = .control
        case .escape where byte == UInt8(ascii: "O"): state = .single
        case .escape:
            keys.append(.character("\u{1B}"))
            begin(byte, &keys)
        case .control where (0x20...0x3F).contains(byte): break
        case .control where (0x40...0x7E).contains(byte), .single where (0x40...0x7E).contains(byte): state = .plain
        case .character(let bytes, let rest) where byte & 0xC0 == 0x80:
            let bytes = bytes + [byte]
            if rest > 1 {
                state = .character(bytes, rest: rest - 1)
            } else {
                state = .plain
                // Invalid UTF-8 is not a key.
                if let text = String(validating: bytes, as: UTF8.self), let first = text.first {
                    keys.append(.character(first))
                }
            }
        case .afterReturn where byte == UInt8(ascii: "\n"): state = .plain
        case .plain, .afterReturn, .control, .single, .character: begin(byte, &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        state = .plain
        switch byte {
        case UInt8(ascii: "\r"):
            keys.append(.press)
            state = .afterReturn
        case UInt8(ascii: "\n"), UInt8(ascii: " "): keys.append(.press)
        case 0x04: keys.append(.end)
        case 0x1B: state = .escape
        case 0..<0x80: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0xC2..<0xE0: state = .character([byte], rest: 1)
        case 0xE0..<0xF0: state = .character([byte], rest: 2)
        case 0xF0..<0xF5: state = .character([byte], rest: 3)
        default: break
        }
    }
}
