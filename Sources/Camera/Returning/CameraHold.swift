// SPDX-License-Identifier: MIT
// Keeps other cameras from taking a camera's place by themselves, as during a movie.

import Synchronization

/// Whether anybody insists on the camera that delivers now. While somebody does, its return is waited for where another
/// camera would go on otherwise.
package final class CameraHold: Sendable {
    private let holders = Atomic<Int>(0)
    private let isWaived = Atomic<Bool>(false)

    /// Nobody insists.
    package init() {}

    /// Whether somebody insists on the camera.
    var isHeld: Bool { holders.load(ordering: .acquiring) > 0 && !isWaived.load(ordering: .acquiring) }

    /// Lets another camera go on all the same, because this one has been away for too long. Until somebody insists anew.
    func waive() { isWaived.store(true, ordering: .releasing) }

    /// Insists on the camera for as long as the result exists.
    package func take() -> any AnyObject & Sendable { Holder(self) }

    private final class Holder: Sendable {
        private let hold: CameraHold

        init(_ hold: CameraHold) {
            self.hold = hold
            hold.isWaived.store(false, ordering: .releasing)
            hold.holders.add(1, ordering: .acquiringAndReleasing)
        }

        deinit { hold.holders.subtract(1, ordering: .acquiringAndReleasing) }
    }
}
