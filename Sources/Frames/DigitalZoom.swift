// SPDX-License-Identifier: MIT
// The part of a picture that fills it after zooming.

/// A zoom by enlarging a part of the picture.
public struct DigitalZoom: Hashable, Sendable {
    /// The greatest factor.
    public static let greatest = 16.0

    /// How many times larger things appear, from 1 to `greatest`.
    public let factor: Double
    /// The middle of the part, as shares of the picture's width and height: 0 at the left and the top, 1 at the right
    /// and the bottom.
    public let centerX, centerY: Double

    /// Zooms by `factor` around the middle of the picture, or another point. Nil unless the factor is from 1 to
    /// `greatest` and the point lies in the picture.
    public init?(factor: Double, centerX: Double = 0.5, centerY: Double = 0.5) {
        guard (1...Self.greatest).contains(factor), (0...1).contains(centerX), (0...1).contains(centerY) else {
            return nil
        }
        self.factor = factor
        self.centerX = centerX
        self.centerY = centerY
    }

    /// Parses `FACTOR` or `FACTOR@X,Y`, as in `2` and `1.5@0.3,0.7`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let factor = Double(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(factor: factor)
            return
        }
        let point = parts[1].split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard point.count == 2, let x = point[0], let y = point[1] else { return nil }
        self.init(factor: factor, centerX: x, centerY: y)
    }

    /// The part's left and top edges and its side, as shares of the picture's sides. The part never leaves the picture,
    /// whatever its middle.
    package var part: (x: Double, y: Double, side: Double) {
        let side = 1 / factor
        return (min(max(centerX - side / 2, 0), 1 - side), min(max(centerY - side / 2, 0), 1 - side), side)
    }
}

extension DigitalZoom: CustomStringConvertible {
    /// As `init(_:)` reads it.
    public var description: String {
        (centerX, centerY) == (0.5, 0.5) ? "\(factor)" : "\(factor)@\(centerX),\(centerY)"
    }
}

extension DigitalZoom: Codable {
    /// Decodes the text that `description` gives. Throws `DecodingError` for any other.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let zoom = DigitalZoom(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "'\(text)' is no zoom"))
        }
        self = zoom
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
