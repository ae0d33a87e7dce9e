// SPDX-License-Identifier: MIT
// The moments `livecap shoot` is asked for.

import CommandTable
import Frames

extension Arguments {
    /// Every moment, in the order they were asked for.
    func moments() throws(Failure) -> [TimeSpan] {
        let starts = all(ShootOptions.at).isEmpty ? [.zero] : all(ShootOptions.at)
        let count = self[ShootOptions.count] ?? 1
        guard starts.count * count <= mostMoments else {
            throw .pictures("\(starts.count * count) pictures are too many at once", hint: "take a smaller --count")
        }
        let interval = self[ShootOptions.interval] ?? .milliseconds(1000)
        return starts.flatMap { start in (0..<count).map { start + interval * Int64($0) } }
    }
}

/// The most pictures one command takes.
private let mostMoments = 100_000
