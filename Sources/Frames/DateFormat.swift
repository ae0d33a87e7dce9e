// SPDX-License-Identifier: MIT
// How the date that is drawn into pictures is written.

/// How a date is written, in the conversions of `strftime(3)`: `%Y-%m-%d %H:%M:%S`. Names of days and months are
/// English, and capitals.
public struct DateFormat: Hashable, Sendable {
    /// The text with its conversions.
    public let text: String

    /// The most characters of a format.
    public static let mostCharacters = 64
    /// `2026-11-30 15:45:10`.
    public static let usual = DateFormat(text: "%Y-%m-%d %H:%M:%S")

    private init(text: String) { self.text = text }

    /// A format; nil if the text is empty or too long, has a conversion that is not known here, or characters that are
    /// not drawn: letters, digits and signs of ASCII are.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.mostCharacters else { return nil }
        var isConversion = false
        for character in text.utf8 {
            if isConversion {
                guard Self.conversions.contains(character) else { return nil }
                isConversion = false
            } else if character == UInt8(ascii: "%") {
                isConversion = true
            } else if character != UInt8(ascii: " "), DotFont.rows(character) == 0 {
                return nil
            }
        }
        guard !isConversion else { return nil }
        self.text = text
    }

    /// The conversions that depend on the moment alone and write what the font has.
    private static let conversions = Set("aAbBCdDeFgGhHIjklmMpPrRSTuUVwWyYz%".utf8)
}

extension DateFormat: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension DateFormat: Codable {
    /// Decodes the text. Throws `DecodingError` if it is no format.
    public init(from decoder: any Decoder) throws { self = try decoder.value { DateFormat($0) } }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: text) }
}
