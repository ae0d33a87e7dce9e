// SPDX-License-Identifier: MIT
// Tells from its frames when a new exposure of a camera is in force.

import LivecapFrames

/// Watches the brightness of the frames after an exposure was set. Cameras show it some frames later, and do not say
/// which is the first.
///
/// It has arrived once the brightness has changed in the direction that it must, and come to rest. Where no change can
/// be seen, because it is small, or because all is black or white before and after, a number of frames decides.
package struct ExposureArrival: Hashable, Sendable {
    /// Frames to wait for if no change is expected: more than cameras and drivers hold.
    private static let few = 6
    /// Frames to wait for at most.
    private static let most = 24
    /// A change of light in EV that is sure to be seen.
    private static let visible = 0.3

    private let direction: Double
    private let level: Double?
    private var count = 0
    private var hasChanged: Bool
    private var settling = ExposureSettling()

    /// Begins when an exposure was set that gives `change` EV more light than the one before, at which frames had the
    /// brightness `level`.
    package init(change: Double, from level: Double?) {
        direction = change < 0 ? -1 : 1
        self.level = level
        hasChanged = level == nil || change.magnitude < Self.visible
    }

    /// Takes in the brightness from 0 to 1 of the next frame, nil if it is unknown. Returns whether the exposure is in
    /// force.
    package mutating func note(_ brightness: Double?, at time: Timestamp) -> Bool {
        count += 1
        if let brightness, let level, !hasChanged {
            hasChanged = (brightness - level) * direction > max(0.03 * level, 1.5 / 255)
        }
        guard hasChanged || count > Self.most else { return false }
        let state = settling.note(brightness, at: time, epoch: 0)
        return count >= Self.few && state != .settling || count > Self.most
    }
}
