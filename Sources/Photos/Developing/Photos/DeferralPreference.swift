// SPDX-License-Identifier: MIT
// Whether a photo may be delivered as a proxy first, and which photos gain from that.

/// Whether a photo that takes long to make may arrive as a proxy first, with the final made later.
public enum DeferralPreference: String, Hashable, Codable, Sendable, CaseIterable {
    /// The output decides: the photo is deferred if it would keep the user waiting.
    case automatic
    /// The photo is deferred. If it gains nothing from that, it fails with an error.
    case required
    /// The photo is made at once.
    case never
}

extension PhotoSettings {
    /// The reason why the photo cannot be deferred; nil if it can.
    package var reasonAgainstDeferral: (words: String, hint: String)? {
        if !quality.merges || demand.count < 2 {
            let words = quality.merges ? "\(quality.rawValue) of one frame" : quality.rawValue
            return (
                "\(words) takes too little time to be deferred",
                "leave deferral automatic, or choose quality, which takes long"
            )
        }
        if reference.comparesFrames {
            return (
                "the \(reference.rawValue) frame is known only when all have been read, too late for a proxy",
                "choose the reference nearest the tap, or do not defer it"
            )
        }
        if includesComparison || includesExplanation {
            return (
                "pictures of before and after, and of what a photo rests on, come with the photo itself",
                "leave them out, or take no deferral"
            )
        }
        return nil
    }
}
