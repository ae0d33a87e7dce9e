// SPDX-License-Identifier: MIT
// What is reported of exposure and focus that follow faces.

/// How a camera's exposure or focus follows faces.
public enum FaceFollowing: String, Hashable, Codable, Sendable, CaseIterable {
    /// The camera decides by itself, looking at a face.
    case regionOfInterest = "region-of-interest"
    /// The session measures how bright faces are, and sets exposure and gain.
    case loop
}

/// Why exposure or focus follows faces no longer.
public enum FaceFollowingEnd: String, Hashable, Codable, Sendable, CaseIterable {
    /// No face has been seen for a second.
    case noFace = "no-face"
    /// It was switched off.
    case switchedOff = "switched-off"
    /// Somebody has set the exposure, or the switch that makes it automatic.
    case setByHand = "set-by-hand"
    /// No frames arrive: the camera was unplugged or switched off, or the session has stopped.
    case cameraAway = "camera-away"
    /// The camera refused a setting.
    case refused
}

/// A change of what exposure or focus follows.
public enum FaceDriven: Hashable, Sendable {
    /// It follows faces now, in that way.
    case following(FaceFollowing)
    /// It follows faces no longer. The camera is as it was before, unless it was set by hand or is away.
    case ended(FaceFollowingEnd)
}

/// What is to follow faces.
struct FaceSwitches: Hashable, Sendable {
    /// The switch of one of them.
    struct Switch: Hashable, Sendable {
        /// Whether the session decides.
        var isAutomatic = true
        /// Otherwise, whether it does.
        var isOn = true

        /// Whether it may follow faces.
        var allows: Bool { isAutomatic || isOn }
    }

    /// The exposure.
    var exposure = Switch()
    /// The focus.
    var focus = Switch()
}
