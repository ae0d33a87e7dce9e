// SPDX-License-Identifier: MIT
// How far the times of a camera's frames are from those of another camera, for light of the same instant.

/// How much later the frames' times of one camera are than those of another that saw the same light. Drivers disagree
/// on the part of a frame that its time marks, and cameras take different times to read and to send it.
public struct ClockOffset: Hashable, Codable, Sendable {
    /// How much later.
    public var value: Duration
    /// How far that may be from the truth.
    public var bound: Duration

    /// Creates an offset that was measured to within `bound`.
    public init(_ value: Duration, bound: Duration = .zero) {
        self.value = value
        self.bound = bound
    }

    /// What the drivers' own times say: no offset.
    public static let none = ClockOffset(.zero)
}
