// SPDX-License-Identifier: MIT
// What became of the frames that an output might have delivered.

/// Why a frame was not delivered as a picture.
public enum PictureDrop: String, Hashable, Codable, Sendable, CaseIterable {
    /// The rate asked for is lower than the camera's. This is no loss.
    case rate
    /// The program did not take pictures fast enough.
    case late
    /// The program holds so many pictures that there is no memory for another.
    case outOfBuffers
    /// The frame left the history before the session could make a picture of it: the machine is too slow for what is
    /// asked of it.
    case tooSlow
    /// The frame is damaged or cannot be decoded, or JPEG could not be encoded.
    case undecodable
}

/// Counts of frames since an output was created.
public struct FrameOutputStatistics: Hashable, Sendable {
    /// Pictures that the program took.
    public internal(set) var delivered = 0
    /// Frames that were not delivered, by reason.
    public private(set) var dropped: [PictureDrop: Int] = [:]

    /// Creates counts of nothing.
    public init() {}

    /// The number of frames not delivered, without those that were not asked for.
    public var lost: Int { dropped.filter { $0.key != .rate }.values.reduce(0, +) }

    mutating func note(_ drop: PictureDrop, _ count: Int = 1) { dropped[drop, default: 0] += count }
}
