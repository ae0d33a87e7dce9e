// SPDX-License-Identifier: MIT
// What the photos have in common that several cameras took of one instant.

/// Says which photos belong together: several cameras took them at one tap, of one instant.
public struct PhotoGroup: Hashable, Codable, Sendable {
    /// The tap's name, which all of its photos have: at most 64 letters, digits, dots, hyphens and underscores.
    public let id: String
    /// The name of the camera among those of the tap: up to 120 bytes on one line.
    public let stream: String

    /// The photo of camera `stream` in group `id`; nil if a name is not allowed.
    public init?(id: some StringProtocol, stream: some StringProtocol) {
        guard Self.isID(id), !stream.isEmpty, stream.utf8.count <= 120,
            stream.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { return nil }
        self.id = String(id)
        self.stream = String(stream)
    }

    /// Whether a text can name a group.
    public static func isID(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private enum Key: CodingKey { case id, stream }

    /// Decodes both names. Throws `DecodingError` if one is not allowed.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let (id, stream) = (
            try fields.decode(String.self, forKey: .id), try fields.decode(String.self, forKey: .stream)
        )
        guard let group = PhotoGroup(id: id, stream: stream) else {
            throw DecodingError.dataCorruptedError(
                forKey: .id, in: fields, debugDescription: "no group of photos has these names")
        }
        self = group
    }
}
