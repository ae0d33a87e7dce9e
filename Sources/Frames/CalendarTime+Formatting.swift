// SPDX-License-Identifier: MIT
// Times of the calendar in the conversions of strftime.

import Glibc

extension CalendarTime {
    /// What `strftime(3)` makes of `format`, in the time zone of the moment. Names of days and months are English.
    package func formatted(_ format: String) -> String {
        let seconds = Int((sinceEpoch.nanoseconds - (sinceEpoch.nanoseconds < 0 ? 999_999_999 : 0)) / 1_000_000_000)
        // strftime would interpret the parts in this machine's time zone.
        if format == "%s" { return "\(seconds)" }
        let lead = Int(utcOffset.nanoseconds / 1_000_000_000)
        var local = time_t(seconds + lead)
        var parts = tm()
        gmtime_r(&local, &parts)
        parts.tm_gmtoff = lead
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            let count = strftime(buffer.baseAddress, buffer.count, format, &parts)
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
