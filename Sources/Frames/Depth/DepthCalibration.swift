// SPDX-License-Identifier: MIT
// The calibration of a depth camera, as a file keeps it for cameras that do not report it themselves.

/// What is known of a camera that gives depth: its two lenses, and where they are.
///
/// As JSON: `{"camera": IDENTITY, "metresPerCount": 0.001, "depth": {...}, "color": {...}, "rotation": [9 numbers],
/// "translation": [3 numbers]}`. Only `camera` and `depth` are required.
public struct DepthCalibration: Hashable, Codable, Sendable {
    /// The identity of the camera, as `SourceDescription` has it.
    public var camera: String
    /// The distance of a count in metres; nil if it is what the format says.
    public var metresPerCount: Double?
    /// The lens that distances are measured with.
    public var depth: DepthIntrinsics
    /// The lens of the colour pictures; nil if it is not known, so that depth cannot be registered to them.
    public var color: DepthIntrinsics?
    /// How directions of the depth lens become those of the colour lens: a rotation, row by row; nil if they are the
    /// same.
    public var rotation: [Double]?
    /// Where the depth lens is for the colour lens, in metres; nil if they are at one place.
    public var translation: [Double]?

    /// Creates a calibration with the depth lens alone.
    public init(camera: String, depth: DepthIntrinsics) {
        self.camera = camera
        self.depth = depth
    }

    /// What is wrong with it, in one line without a full stop; nil if nothing is. Files need to be checked.
    public var problem: String? {
        if camera.isEmpty { return "it does not name a camera" }
        if let unit = metresPerCount, !unit.isFinite || unit <= 0 { return "metresPerCount is not a positive number" }
        if let problem = depth.problem { return "depth: \(problem)" }
        if let problem = color?.problem { return "color: \(problem)" }
        if let translation, translation.count != 3 || !translation.allSatisfy({ $0.isFinite && abs($0) < 10 }) {
            return "translation is not three numbers of metres"
        }
        guard let rotation else { return nil }
        guard rotation.count == 9, rotation.allSatisfy(\.isFinite) else { return "rotation is not nine numbers" }
        return Self.isRotation(rotation) ? nil : "rotation is no rotation: its rows are not at right angles"
    }

    /// Whether rows have the length 1 and are at right angles, to a thousandth, and nothing is mirrored.
    private static func isRotation(_ m: [Double]) -> Bool {
        func product(_ a: Int, _ b: Int) -> Double {
            m[3 * a] * m[3 * b] + m[3 * a + 1] * m[3 * b + 1] + m[3 * a + 2] * m[3 * b + 2]
        }
        for a in 0..<3 {
            for b in a..<3 where abs(product(a, b) - (a == b ? 1 : 0)) > 0.001 { return false }
        }
        let first = m[0] * (m[4] * m[8] - m[5] * m[7])
        let second = m[1] * (m[3] * m[8] - m[5] * m[6])
        let third = m[2] * (m[3] * m[7] - m[4] * m[6])
        return first - second + third > 0
    }
}
