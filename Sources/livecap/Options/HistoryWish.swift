// SPDX-License-Identifier: MIT
// How much history the command line asks for: a time, or the memory that it takes.

import LiveCapture
import LivecapCommandTable
import LivecapFrames

/// What `--ring` asks for.
enum HistoryWish: Hashable, Sendable {
    /// For this time.
    case time(Duration)
    /// As long as this number of bytes allows.
    case bytes(Int)

    /// Times as everywhere, with seconds as the unit of a bare number. Memory needs a unit; `m` stands for minutes.
    static let kind = ValueKind<HistoryWish>(
        "TIME|SIZE", expects: "a time such as 4s, or an amount of memory such as 256M",
        refusing: { (text: String) throws(ValueRefusal) -> HistoryWish in
            do throws(ValueRefusal) {
                return .time(.nanoseconds(try ValueKind.positiveNanoseconds().parse(text)))
            } catch {
                guard let bytes = try? ValueKind<Int>.bytes().parse(text) else { throw error }
                return .bytes(bytes)
            }
        })
}

extension Arguments {
    /// The time that `--ring` asks for; nil if it asks for none, or for memory.
    var askedHistory: Duration? {
        if case .time(let time)? = self[SourceOptions.history] { time } else { nil }
    }

    /// The memory that `--ring` asks for; nil if it asks for none, or for a time.
    var askedHistoryMemory: Int? {
        if case .bytes(let bytes)? = self[SourceOptions.history] { bytes } else { nil }
    }
}
