// SPDX-License-Identifier: MIT
// Why parts of a still rest on fewer frames than others.

/// Why frames that contribute elsewhere contribute little to a region.
public enum Refusal: String, Hashable, Codable, Sendable, CaseIterable {
    /// Most frames show something else there: it moved, lay outside of them, or is so fine that it looks different
    /// wherever it falls between samples.
    case motion
    /// Frames differ there by a little more than noise makes them differ, such as where detail lies between samples.
    case noise
    /// The brightness agrees, but the colour does not.
    case color
    /// The region is partly clipped. There is no noise then, and the smallest difference counts.
    case clipped

    /// Less than this share of the weight missing is no refusal.
    private static let missed: Float = 0.25

    /// The reason that follows from the shares of the weight that are missing, of brightness and of colour. Nil if
    /// there is nothing to explain.
    init?(brightness: Float, color: Float, isClipped: Bool) {
        guard max(brightness, color) > Self.missed else { return nil }
        if isClipped {
            self = .clipped
        } else if color - brightness > Self.missed {
            self = .color
        } else {
            self = brightness > 0.5 ? .motion : .noise
        }
    }
}
