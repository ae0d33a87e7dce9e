// SPDX-License-Identifier: MIT
// Keeps other cameras from taking a camera's place by themselves, as during a movie.

import LivecapThreads
import Synchronization

/// Counts those who need the camera that delivers now and no other, such as a movie. While there are any, livecap waits
/// for that camera to come back instead of going on with another one.
package final class CameraHold: Sendable {
    private let holders = Atomic<Int>(0)
    private let isWaived = Atomic<Bool>(false)
    private let listener = Guarded<(@Sendable () -> Void)?>(nil)

    /// A camera that any other may replace.
    package init() {}

    /// Whether no other camera may take its place.
    var isHeld: Bool { holders.load(ordering: .acquiring) > 0 && !isWaived.load(ordering: .acquiring) }

    /// Lets another camera take its place after all, because this one has been away for too long. The next `take` holds
    /// the camera again.
    func waive() { isWaived.store(true, ordering: .releasing) }

    /// Calls `body` whenever the last of them no longer needs it.
    func whenFree(_ body: @escaping @Sendable () -> Void) { listener.withLock { $0 = body } }

    /// Holds the camera for as long as the result exists.
    package func take() -> any AnyObject & Sendable { Holder(self) }

    private final class Holder: Sendable {
        private let hold: CameraHold

        init(_ hold: CameraHold) {
            self.hold = hold
            hold.isWaived.store(false, ordering: .releasing)
            hold.holders.add(1, ordering: .acquiringAndReleasing)
        }

        deinit {
            let left = hold.holders.subtract(1, ordering: .acquiringAndReleasing).newValue
            if left == 0 { hold.listener.withLock { $0 }?() }
        }
    }
}
