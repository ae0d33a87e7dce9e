// SPDX-License-Identifier: MIT
// Which settings contradict each other.

import Stills

extension PhotoSettings {
    /// The error a photo with these settings fails with; nil if they are valid.
    public var problem: PhotoError? {
        if takesNearestAlone && ((frames ?? 1) > 1 || after > 0) {
            return .badSettings(
                "\(quality.rawValue) uses the frame nearest the moment alone",
                hint: "leave the number of frames out, or take balanced, which merges frames")
        }
        if let frames, !FrameDemand.range.contains(frames) {
            return .badSettings("\(frames) frames cannot be merged", hint: "take 1 to \(FrameDemand.range.upperBound)")
        }
        if after < 0 || after > 0 && after >= demand.count {
            return .badSettings(
                "\(after) frames cannot be later than the moment, for one is its own",
                hint: "take fewer than there are frames in all")
        }
        if let depth, !format.depths.contains(depth) {
            let depths = format.depths.map { "\($0.rawValue)" }.joined(separator: " or ")
            return .badSettings(
                "a \(format.rawValue) picture has no \(depth.rawValue) bits a sample", hint: "take \(depths)")
        }
        if let encodeQuality, !(1...100).contains(encodeQuality) {
            return .badSettings("there is no quality \(encodeQuality)", hint: "take 1 to 100")
        }
        if encodeQuality != nil && format.usualQuality == nil {
            return .badSettings(
                "a \(format.rawValue) picture loses nothing",
                hint: "leave the encoder's quality out, or take jpeg or heic")
        }
        if deferral == .required, let (words, hint) = reasonAgainstDeferral { return .badSettings(words, hint: hint) }
        return nil
    }
}
