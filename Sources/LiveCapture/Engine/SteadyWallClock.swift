// SPDX-License-Identifier: MIT
// The calendar time of moments, the same for the same moment.

import LivecapDeveloping
import LivecapFrames
import LivecapThreads

/// Tells the calendar time of moments. Two readings of two clocks differ by some hundred nanoseconds, so a reading is
/// kept until the clocks have drifted or been set by a millisecond: photos of one frame then have one time.
final class SteadyWallClock: Sendable {
    private let atZero = Guarded<Duration?>(nil)

    /// The calendar time of a moment of CLOCK_MONOTONIC.
    func time(of moment: Timestamp) -> CalendarTime { time(of: moment, read: CalendarTime(wall: moment)) }

    /// The same, if it was just read as `reading`.
    func time(of moment: Timestamp, read reading: CalendarTime) -> CalendarTime {
        let measured = reading.sinceEpoch - (moment - .zero)
        return atZero.withLock { atZero in
            let kept = atZero ?? measured
            let holds = (.milliseconds(-1) ... .milliseconds(1)).contains(measured - kept)
            atZero = holds ? kept : measured
            return CalendarTime(sinceEpoch: (atZero ?? measured) + (moment - .zero), utcOffset: reading.utcOffset)
        }
    }
}
