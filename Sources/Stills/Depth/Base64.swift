// SPDX-License-Identifier: MIT
// Bytes as text of 64 characters: RFC 4648.

/// Writes and reads base64.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The text, in one line.
    static func text(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for begin in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[begin..<min(begin + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * place) & 63)
                text.append(place <= group.count ? alphabet[digit] : padding)
            }
        }
        return text
    }

    /// The bytes of a text, in which spaces and line ends do not count; nil if it has other characters. What is missing
    /// at the end is missing from the bytes.
    static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var digits = [UInt8](repeating: 255, count: 256)
        for (digit, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(digit) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for character in text where character != 32 && !(9...13).contains(character) {
            if character == padding { break }
            let digit = digits[Int(character)]
            guard digit < 64 else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
