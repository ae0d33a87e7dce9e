// SPDX-License-Identifier: MIT
// What a count of depth is worth, and which counts say nothing.

/// The distance that one count of depth stands for.
///
/// Distances are measured along the camera's axis, as nearly all depth cameras give them, not along the ray of a pixel.
public struct DepthUnit: Hashable, Codable, Sendable {
    /// Metres for one count.
    public let metres: Double

    /// What V4L2's Z16 means unless a device says otherwise: 1 mm.
    public static let millimetre = DepthUnit(metres: 0.001)!

    /// Creates a unit; nil if it is not a number from a micrometre to a metre.
    public init?(metres: Double) {
        guard (1e-6...1).contains(metres) else { return nil }
        self.metres = metres
    }

    /// The count that says that nothing was measured.
    public static let unknown = UInt16(0)

    /// Whether a count of a camera is a distance: some give 65535, too, for nothing, or for what is too far away.
    public static func isKnown(_ count: UInt16) -> Bool { count != unknown && count != .max }

    /// The distance in metres; nil if nothing was measured.
    public func distance(_ count: UInt16) -> Double? { Self.isKnown(count) ? Double(count) * metres : nil }

    /// The count nearest to a distance in metres; `unknown` for what counts cannot say, such as 0 and infinity.
    public func count(_ distance: Double) -> UInt16 {
        let counts = (distance / metres).rounded()
        return counts >= 1 && counts < 65535 ? UInt16(counts) : Self.unknown
    }

    /// Decodes a unit. Throws `DecodingError` for a number that cannot be one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer(), number = try container.decode(Double.self)
        guard let unit = DepthUnit(metres: number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(number) is no unit of depth")
        }
        self = unit
    }

    /// Encodes metres for one count.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(metres)
    }
}
