// SPDX-License-Identifier: MIT
// Which frame's moment a photo shows.

/// Selects the frame whose moment a photo shows.
public enum ReferencePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The frame nearest the tap.
    case tap
    /// The sharpest of the frames used; the nearest of equally sharp ones.
    case sharpest
}
