// SPDX-License-Identifier: MIT
// The number of a shot.

import LivecapFrames

/// The number of a shot in its session, counted from 1.
public struct ShotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The count.
    public let number: UInt64
    /// The shot with that number.
    public init(number: UInt64) { self.number = number }
    /// Whether `a` was asked for before `b`.
    public static func < (a: ShotID, b: ShotID) -> Bool { a.number < b.number }
    /// The number in decimal.
    public var description: String { "\(number)" }
}

extension ShotID: Codable {
    /// Decodes the number in decimal. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { UInt64($0).map(ShotID.init(number:)) } }
    /// Encodes the number in decimal.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}
