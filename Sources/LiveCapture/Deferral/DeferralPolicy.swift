// SPDX-License-Identifier: MIT
// Whether a shot gives its photo at once, or a proxy now and the photo later.

import Frames

/// What a program wants of a shot whose work could be left for later.
public enum DeferralPreference: String, Hashable, Sendable, CaseIterable {
    /// The output decides, shot by shot: what would make people wait is left for later.
    case automatic
    /// The work is left for later. Where there is none worth it, that is an error.
    case required
    /// The photo is made at once.
    case never
}

/// A shot, as far as it decides when its work is done.
package struct DeferralRequest: Hashable, Sendable {
    /// How it is to be made.
    package var quality: PhotoQuality
    /// What it takes, by one worker that nobody helps; nil where that is not known. Unknown at the fast pace, where nothing may
    /// depend on the machine.
    package var work: TimeSpan?
    /// What shots before it still take, likewise: nothing at the fast pace.
    package var ahead: TimeSpan
    /// How many workers there are.
    package var workers: Int

    /// A shot nothing is known of but its quality, unless more is said.
    package init(quality: PhotoQuality, work: TimeSpan? = nil, ahead: TimeSpan = .zero, workers: Int = 1) {
        (self.quality, self.work, self.ahead, self.workers) = (quality, work, ahead, workers)
    }
}

/// Decides, shot by shot, whether the work is left for later. No clock: the same shots get the same.
package struct DeferralPolicy: Hashable, Sendable {
    /// How long a photo may take before it is left for later: people call it at once up to about then.
    package var longestWait: TimeSpan

    /// Photos that are done within so long are made at once.
    package init(longestWait: TimeSpan = .milliseconds(250)) { self.longestWait = longestWait }

    /// Whether a shot whose work can be left for later had better be.
    package func defers(_ request: DeferralRequest) -> Bool {
        // What nothing is known of is judged by its kind: one of them was made to be waited for.
        guard let work = request.work else {
            return request.quality == .quality || request.ahead / Int64(max(request.workers, 1)) > longestWait
        }
        return (request.ahead + work) / Int64(max(request.workers, 1)) > longestWait
    }
}

extension PhotoSettings {
    /// Why the photo cannot be left for later; nil where it can be.
    var reasonAgainstDeferral: (words: String, hint: String)? {
        let usual = frames ?? quality.usualFrames
        if !quality.merges || usual < 2 {
            let words = quality.merges ? "\(quality.rawValue) of one frame" : quality.rawValue
            return (
                "\(words) is done at once and needs no deferral",
                "leave deferral automatic, or take quality, which is worth it"
            )
        }
        if reference == .sharpest {
            return (
                "which frame is the sharpest is known only when all have been read, so no proxy can show it at once",
                "take the reference nearest the tap, or no deferral"
            )
        }
        if isCompared || isExplained {
            return (
                "pictures of before and after, and of what a photo rests on, come with the photo itself",
                "leave them out, or take no deferral"
            )
        }
        return nil
    }
}
