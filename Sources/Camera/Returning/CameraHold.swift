// SPDX-License-Identifier: MIT
// Keeps other cameras from taking a camera's place by themselves, as during a movie.

import Synchronization

/// Whether anybody insists on the camera that delivers now. While somebody does, its return is waited for where another
/// camera would go on otherwise.
package final class CameraHold: Sendable {
    private let holders = Atomic<Int>(0)

    /// Nobody insists.
    package init() {}

    /// Whether somebody insists on the camera.
    var isHeld: Bool { holders.load(ordering: .acquiring) > 0 }

    /// Insists on the camera for as long as the result exists.
    package func take() -> any AnyObject & Sendable { Holder(self) }

    private final class Holder: Sendable {
        private let hold: CameraHold

        init(_ hold: CameraHold) {
            self.hold = hold
            hold.holders.add(1, ordering: .acquiringAndReleasing)
        }

        deinit { hold.holders.subtract(1, ordering: .acquiringAndReleasing) }
    }
}
