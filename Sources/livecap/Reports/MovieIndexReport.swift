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
        OptionalWork(
            isGoingOn: { self.isPuttingIndexFirst }, isThere: { self.hasIndexToPutFirst },
            giveUp: { self.limitIndexing(to: .zero) })
    }
}

extension OptionalWork {
    /// Putting the index of the movie first that is being completed, if one is.
    static func index(of movie: @escaping @Sendable () -> MovieOutput?) -> OptionalWork {
        OptionalWork(
            isGoingOn: { movie()?.isPuttingIndexFirst ?? false }, isThere: { movie()?.hasIndexToPutFirst ?? false },
            giveUp: { movie()?.limitIndexing(to: .zero) },
            words: Words(
                going: "the movie is complete, and is copied to put its index first",
                givenUp: "the movie is not copied, and plays just as well"))
    }
}
