// SPDX-License-Identifier: MIT
// Quarter turns, and how a camera is mounted.

/// A turn clockwise by a multiple of a right angle.
public enum RotationAngle: Int, Hashable, Codable, Sendable, CaseIterable {
    /// None.
    case none = 0
    /// A quarter turn clockwise.
    case quarter = 90
    /// Upside down.
    case half = 180
    /// A quarter turn counterclockwise.
    case threeQuarters = 270

    /// The angle in degrees, clockwise.
    public var degrees: Int { rawValue }

    /// One turn after the other.
    public static func + (first: RotationAngle, second: RotationAngle) -> RotationAngle {
        RotationAngle(rawValue: (first.rawValue + second.rawValue) % 360) ?? .none
    }

    /// The turn that leads from `second` to `first`.
    public static func - (first: RotationAngle, second: RotationAngle) -> RotationAngle {
        RotationAngle(rawValue: (first.rawValue - second.rawValue + 360) % 360) ?? .none
    }
}

extension RotationAngle: CustomStringConvertible {
    /// Such as `90°`.
    public var description: String { "\(rawValue)°" }
}

/// How a camera is mounted: what makes its pictures upright. They are first mirrored left to right, and then turned.
public struct CameraMount: Hashable, Codable, Sendable {
    /// The turn that makes its pictures upright: `half` for a camera that hangs upside down.
    public var angle: RotationAngle
    /// Whether its pictures are mirrored.
    public var isMirrored: Bool

    /// A mount; upright unless something else is said.
    public init(angle: RotationAngle = .none, isMirrored: Bool = false) {
        self.angle = angle
        self.isMirrored = isMirrored
    }

    /// The same, and mirrored once more afterwards: mirrored last instead of first, pictures are turned the other way.
    package var mirroredAfter: CameraMount { CameraMount(angle: .none - angle, isMirrored: !isMirrored) }

    /// Pictures need no change.
    public static let upright = CameraMount()

    /// Reads such as "180", "90,mirror" or "mirror". Nil for anything else.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.last == "mirror" || words.count == 1 else { return nil }
        let angle = words.first == "mirror" ? 0 : words.first.flatMap { Int($0) }
        guard words.count <= 2, words.first != "mirror" || words.count == 1 else { return nil }
        guard let angle = angle.flatMap(RotationAngle.init(rawValue:)) else { return nil }
        self.init(angle: angle, isMirrored: words.last == "mirror")
    }

    /// As `init(_:)` reads it.
    package var text: String { "\(angle.degrees)\(isMirrored ? ",mirror" : "")" }
}
