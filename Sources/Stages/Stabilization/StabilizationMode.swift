// SPDX-License-Identifier: MIT
// How a moving picture is steadied, as one chooses it.

/// How the motion of a hand-held camera is taken out of a moving picture.
///
/// A steadied picture shows nine tenths of the frame's width and height, enlarged to its size: the rest is the room
/// within which it moves. What is beyond a frame's edge is never shown.
public enum StabilizationMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// Frames are shown as they are.
    case off
    /// Trembling is taken out without delay: where the camera will go is guessed from where it goes.
    case standard
    /// The picture stands still, or moves evenly, as if the camera stood on a tripod or a dolly. Each picture is made
    /// once the frames of the next 0.8 seconds are known, at most 32 of them, so it comes that much later.
    case cinematic

    /// The share of a frame's width and height that a steadied picture does not show.
    public static let crop = 0.1
}
