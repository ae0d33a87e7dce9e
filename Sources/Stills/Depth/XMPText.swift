// SPDX-License-Identifier: MIT
// Finds single properties in XMP packets of any program, without understanding the XML around them.

/// Simple properties of an XMP packet, which are attributes or elements.
enum XMPText {
    /// The value of a property with its usual prefix; nil if there is none.
    static func value(_ name: String, in packet: [UInt8]) -> String? {
        bytes(name, in: packet).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The same as bytes, which may be megabytes.
    static func bytes(_ name: String, in packet: [UInt8]) -> ArraySlice<UInt8>? {
        let wanted = Array(name.utf8)
        var rest = packet[...]
        while let found = rest.firstRange(of: wanted) {
            let before = found.lowerBound > packet.startIndex ? packet[found.lowerBound - 1] : UInt8(ascii: " ")
            let after = packet[found.upperBound...].drop(while: isSpace)
            rest = packet[found.upperBound...]
            if isSpace(before), after.first == UInt8(ascii: "=") {
                let quoted = after.dropFirst().drop(while: isSpace)
                guard let quote = quoted.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                    let end = quoted.dropFirst().firstIndex(of: quote)
                else { continue }
                return packet[quoted.startIndex + 1..<end]
            }
            if before == UInt8(ascii: "<"), after.first == UInt8(ascii: ">") {
                let begin = after.startIndex + 1
                guard let end = packet[begin...].firstIndex(of: UInt8(ascii: "<")) else { continue }
                return packet[begin..<end]
            }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
