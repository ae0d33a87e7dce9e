// SPDX-License-Identifier: MIT
// The wall-clock times of frames.

import Glibc

/// What relates the times of frames to the calendar.
package enum FrameClock: Hashable, Sendable {
    /// They are of this machine's clock.
    case machine
    /// They are of a recording's clock, whose calendar is known.
    case recording(WallClockAnchor)
    /// Nothing does.
    case unknown

    /// The wall-clock time of a moment; nil if it is unknown.
    package func wallTime(of moment: Timestamp) -> CalendarTime? {
        switch self {
        case .machine: CalendarTime(wall: moment)
        case .recording(let anchor): anchor.calendar.advanced(by: moment - anchor.monotonic)
        case .unknown: nil
        }
    }
}

extension SourceDescription {
    /// What relates the times of its frames to the calendar.
    package var frameClock: FrameClock {
        guard clock == .own else { return .machine }
        return anchor.map { .recording($0) } ?? .unknown
    }

    /// The wall-clock time of a moment on its clock; nil if it is unknown.
    package func wallTime(of moment: Timestamp) -> CalendarTime? { frameClock.wallTime(of: moment) }
}

extension CalendarTime {
    /// The wall-clock time of a moment of CLOCK_MONOTONIC: `clock_gettime(2)`, `localtime_r(3)`.
    package init(wall moment: Timestamp) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Duration.nanoseconds(Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
        let sinceEpoch = present + (moment - .now)
        var seconds = time_t(sinceEpoch.nanoseconds / 1_000_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        self.init(sinceEpoch: sinceEpoch, utcOffset: .seconds(local.tm_gmtoff))
    }
}
