// SPDX-License-Identifier: MIT
// H.264 of a camera as a movie's packets.

import LivecapCMovies
import LivecapFrames

/// H.264 frames as the camera delivered them. The movie begins with one that needs no other, and after a lost frame it
/// goes on with the next such one. Cameras send no pictures out of order, so each is seen when it comes.
final class H264Track: MovieTrack {
    private let format: MovieFormat
    private let picture: lc_movie_picture
    /// The newest ones. A camera may send them with its first frame only.
    private var parameters: [UInt8] = []
    /// Whether the next frame may build on the one before it.
    private var isWhole = false
    /// Whether the frame that was judged last needs no other.
    private(set) var canBegin = false

    init(_ format: MovieFormat, _ source: SourceDescription) {
        self.format = format
        picture = lc_movie_picture(size: source.format.size, rate: source.rate, colorimetry: source.format.colorimetry)
    }

    var stream: MovieStream { MovieStream(format: format, picture: picture, extradata: parameters) }

    func look(at bytes: RawSpan) -> Bool {
        let head = H264Head(of: bytes)
        note(head)
        return canDecode(head)
    }

    func verdict(on frame: FrameMetadata, _ bytes: RawSpan) -> TrackVerdict {
        let head = H264Head(of: bytes)
        note(head)
        if frame.lostBefore > 0 { isWhole = false }
        canBegin = canDecode(head)
        guard head.picture != .none else {
            // Parameters alone are part of no picture.
            isWhole = isWhole && !head.parameters.isEmpty
            return .undecodable
        }
        isWhole = isWhole || canBegin
        return isWhole ? .suitable : .waitsForKey
    }

    func interrupt() { isWhole = false }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        try bytes.withUnsafeBytes { (bytes) throws(MovieError) in
            try take(MoviePacket(bytes: bytes, time: time, isKey: canBegin))
        }
        return true
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) {}
    func begin() {}

    private func note(_ head: H264Head) {
        if !head.parameters.isEmpty { parameters = head.parameters }
    }

    private func canDecode(_ head: H264Head) -> Bool { head.picture == .independent && !parameters.isEmpty }
}
