// SPDX-License-Identifier: MIT
// The index of MP4 files that is put first: how far it is, and how it is given up.

import Glibc
import LivecapFrames
import LivecapMovies

extension MovieIndexProgress {
    /// For a line of progress.
    var words: String {
        let left = remaining.map { ", \(fixed($0.seconds.rounded(.up), 0)) s left" } ?? ""
        return "complete; putting the index first: \(100 * done / max(total, 1)) %\(left) (Ctrl-C gives that up)"
    }
}

extension MovieFileOutput {
    /// Ends the movie because of a signal. Ctrl-C gives up putting the index first, if that is all that is left to do;
    /// other signals, as at a shutdown, leave little time for it.
    func interrupt(by signal: Int32?) {
        let isByKey = signal == SIGINT
        if !isByKey { limitIndexing(to: MovieIndexProgress.patience) }
        if indexing == nil { stop() } else if isByKey { limitIndexing(to: .zero) }
    }

    /// Putting the index first, as something that a second Ctrl-C leaves out.
    var optionalWork: OptionalWork {
        OptionalWork(isGoingOn: { self.isPuttingIndexFirst }, giveUp: { self.limitIndexing(to: .zero) })
    }
}
