// SPDX-License-Identifier: MIT
// How much of its pictures a movie keeps, and how large it becomes.

/// What an encoder aims at.
public enum MovieQuality: Hashable, Codable, Sendable {
    /// So many bits of pictures per second, on average: the size of the file is known, and its quality varies.
    case bitrate(Int)
    /// The same quality throughout, whatever its size: an encoder's constant rate factor (CRF). Smaller numbers are
    /// better; H.264 has 1 to 51, VP9 and AV1 have 1 to 63.
    case constant(Int)
}

extension MovieQuality {
    /// The least bit rate that encoders are asked for, and the most.
    package static let bitrates = 10_000...1_000_000_000
    /// The constant qualities of any codec.
    package static let constants = 1...63

    /// What keeps pictures of a codec from having it; nil if nothing does.
    func problem(with codec: MovieCodec) -> MovieError? {
        guard codec != .mjpeg else {
            return .contradiction(
                "JPEG pictures of a camera are kept as they are, and have no other bit rate or quality",
                hint: "choose another codec, or leave the bit rate or quality out")
        }
        switch self {
        case .bitrate(let rate):
            guard !Self.bitrates.contains(rate) else { return nil }
            return .contradiction(
                "a movie of \(rate) bits per second is impossible", hint: "choose from 10 kbit/s to 1 Gbit/s")
        case .constant(let factor):
            let most = codec == .h264 ? 51 : Self.constants.upperBound
            guard !(1...most).contains(factor) else { return nil }
            return .contradiction(
                "\(codec.name) has no constant quality \(factor)", hint: "choose from 1, the best, to \(most)")
        }
    }
}
