// SPDX-License-Identifier: MIT
// What decoding a camera's compressed video has cost, in words.

import Camera
import LivecapFrames

extension DecodingStatistics {
    /// Frames without a picture, and why; nil if all have one.
    var words: String? {
        guard waitedForKey + undecodable > 0 else { return nil }
        var reasons: [String] = []
        if waitedForKey > 0 { reasons.append("\(waitedForKey) build on a lost or damaged one") }
        if undecodable > 0 { reasons.append("\(undecodable) could not be decoded") }
        let all = counted(waitedForKey + undecodable, "frame")
        let asked = keyFramesAsked > 0 ? "; the camera was asked for \(counted(keyFramesAsked, "key frame"))" : ""
        return "\(all) of the camera's compressed video gave no picture: \(reasons.joined(separator: ", "))\(asked)"
    }
}
