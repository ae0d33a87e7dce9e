// SPDX-License-Identifier: MIT
// The index of MP4 files that is put first: how far it is, and how it is given up.

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
    /// Ends the movie; or, if only its index is still to be put first, gives that up.
    func interrupt() {
        if indexing == nil { stop() } else { limitIndexing(to: .zero) }
    }
}
