// SPDX-License-Identifier: MIT
// Which frame's moment a photo shows.

/// Selects the frame whose moment a photo shows.
public enum ReferencePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The frame nearest the tap.
    case tap
    /// The sharpest of the frames used; the nearest of equally sharp ones.
    case sharpest
    /// The one of the frames used in which the most eyes are open, and among those the one with the sharpest faces; the
    /// nearest of equally good ones. Without faces, or where none can be found, the sharpest.
    case best

    /// Whether all frames have to be read to know which one it is.
    package var comparesFrames: Bool { self != .tap }
}
