// SPDX-License-Identifier: MIT
// Decides whether a shot delivers its photo at once, or a proxy now and the photo later.

import LivecapDeveloping
import LivecapFrames

/// The properties of a shot that decide when its work is done.
package struct DeferralRequest: Hashable, Sendable {
    /// The quality it is to be made with.
    package var quality: PhotoQuality
    /// The work it takes, measured as one worker's time without help; nil if unknown. Always nil at the fast pace,
    /// where no decision may depend on the machine.
    package var work: Duration?
    /// The remaining work of earlier shots, measured the same way; zero at the fast pace.
    package var ahead: Duration
    /// The number of workers.
    package var workers: Int

    /// A request of a given quality; everything else is optional.
    package init(quality: PhotoQuality, work: Duration? = nil, ahead: Duration = .zero, workers: Int = 1) {
        self.quality = quality
        self.work = work
        self.ahead = ahead
        self.workers = workers
    }
}

/// Decides, shot by shot, whether work is deferred. It reads no clock: equal requests get equal answers.
package struct DeferralPolicy: Hashable, Sendable {
    /// The longest a photo may take before it is deferred. People perceive waits of up to about this long as immediate.
    package var longestWait: Duration

    /// A policy that makes photos at once if they are done within `longestWait`.
    package init(longestWait: Duration = .milliseconds(250)) { self.longestWait = longestWait }

    /// Whether a shot whose work can be deferred should be.
    package func defers(_ request: DeferralRequest) -> Bool {
        // Without a known duration the quality decides: `quality` is the one designed to be waited for.
        guard let work = request.work else {
            return request.quality == .quality || request.ahead / Int64(max(request.workers, 1)) > longestWait
        }
        return (request.ahead + work) / Int64(max(request.workers, 1)) > longestWait
    }
}
