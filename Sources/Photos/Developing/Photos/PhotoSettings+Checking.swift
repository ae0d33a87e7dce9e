// SPDX-License-Identifier: MIT
// Which settings contradict each other.

extension PhotoSettings {
    /// The error a photo with these settings fails with; nil if they are valid.
    public var problem: PhotoError? {
        if takesNearestAlone && ((frames ?? 1) > 1 || laterFrames > 0) {
            return .badSettings(
                "\(quality.rawValue) uses only the frame nearest the moment",
                hint: "leave the number of frames out, or choose balanced, which merges frames")
        }
        if let frames, !FrameDemand.range.contains(frames) {
            return .badSettings(
                "\(frames) frames cannot be merged", hint: "choose 1 to \(FrameDemand.range.upperBound)")
        }
        if laterFrames < 0 || laterFrames > 0 && laterFrames >= demand.count {
            return .badSettings(
                "\(laterFrames) frames cannot all be after the moment, because one shows it",
                hint: "choose fewer than the total number of frames")
        }
        if let depth, !format.depths.contains(depth) {
            let depths = format.depths.map { "\($0.rawValue)" }.joined(separator: " or ")
            return .badSettings(
                "\(format.rawValue) does not support \(depth.rawValue) bits per sample", hint: "choose \(depths)")
        }
        if let encodeQuality, !(1...100).contains(encodeQuality) {
            return .badSettings("encoder quality \(encodeQuality) is out of range", hint: "choose 1 to 100")
        }
        if encodeQuality != nil && format.usualQuality == nil {
            return .badSettings(
                "\(format.rawValue) is lossless; it has no encoder quality",
                hint: "leave the encoder quality out, or choose jpeg or heic")
        }
        if zoom != nil, quality == .single {
            return .badSettings(
                "a picture of quality single is the frame as it came", hint: "leave out the zoom, or choose speed")
        }
        if drawnEffects != nil, quality == .single {
            return .badSettings(
                "a picture of quality single is the frame as it came", hint: "leave out the effects, or choose speed")
        }
        if date != nil, quality == .single {
            return .badSettings(
                "a picture of quality single is the frame as it came", hint: "leave out the date, or choose speed")
        }
        if deferral == .required, let (words, hint) = reasonAgainstDeferral { return .badSettings(words, hint: hint) }
        return nil
    }
}
