// SPDX-License-Identifier: MIT
// Reads JPEG frames as planes, together with the other readers of their stream.

import LivecapFrames
import LivecapJPEG

/// How the JPEG frames of a stream are decoded.
package struct PlaneShape: Hashable, Sendable {
    /// The frames' size.
    let frames: FrameSize
    /// How many times smaller the planes are.
    let shrink: Int
    /// How the codec lays out the planes; nil for R'G'B', to which frames with a chroma sampling unknown here are
    /// decoded, in full.
    let layout: PlanarLayout?

    /// Planes of frames in full.
    package init(_ layout: PlanarLayout) {
        frames = layout.size
        shrink = 1
        self.layout = layout
    }

    /// The shape of frames like `first`, shrunk by 1, 2, 4 or 8; nil if that has another size, or cannot be decoded.
    init?(like first: RawSpan, _ frames: FrameSize, shrunkBy shrink: Int) {
        // Otherwise no frame of a stream that claims another size would be decoded; nothing is allocated for it.
        guard var decoder = try? JPEGDecoder(), let header = try? decoder.header(first), header.size == frames else {
            return nil
        }
        let isKnown = PlanarSampling(header.sampling) != nil
        self.frames = frames
        self.shrink = isKnown ? shrink : 1
        let size = JPEGDecoder.size(frames, shrunkBy: self.shrink)
        layout = isKnown ? PlanarLayout(size: size, sampling: header.sampling) : nil
    }

    /// The size of the planes' picture.
    var size: FrameSize { JPEGDecoder.size(frames, shrunkBy: shrink) }
    /// The chroma sampling of the planes.
    var sampling: PlanarSampling { layout.flatMap { PlanarSampling($0.sampling) } ?? .s444 }
    /// Bytes that they take.
    var byteCount: Int { layout?.byteCount ?? 3 * size.area }
}

extension PlanarSampling {
    /// That of JPEG pictures; nil for those that only become R'G'B'.
    fileprivate init?(_ sampling: ChromaSampling) {
        switch sampling {
        case .s420: self = .s420
        case .s422: self = .s422
        case .s444: self = .s444
        case .grey: self = .grey
        case .s440, .s411: return nil
        }
    }
}

/// Decodes JPEG frames to planes, each once for all readers of the stream it follows. Used by one thread.
package final class PlaneReader {
    /// By how much its frames may be shrunk.
    private let shrink: Int
    private var stream: (planes: SharedPlanes, key: Int)?
    private var decoder: JPEGDecoder?
    /// The last frame, shared with others or not.
    private var shared: DecodedFrame?
    private var own: (shape: PlaneShape, frame: DecodedFrame)?

    /// A reader of frames shrunk by no more than `shrink`, of the stream of `planes`, or all for itself.
    package init(shrunkBy shrink: Int = 1, of planes: SharedPlanes? = nil) {
        self.shrink = shrink
        follow(planes)
    }

    deinit { follow(nil) }

    /// The frames that follow are of the stream of `planes`, or of none.
    package func follow(_ planes: SharedPlanes?) {
        guard planes !== stream?.planes else { return }
        giveBack()
        if let (planes, key) = stream { planes.leave(key) }
        stream = planes.map { ($0, $0.join(shrunkBy: shrink)) }
    }

    /// By how much the next frame is shrunk: as all who are at work on the stream need it.
    func shrink(of id: FrameID?) -> Int {
        guard let id, let (planes, key) = stream else { return shrink }
        return planes.shrink(for: key, id)
    }

    /// The planes of a frame, until the next call; nil if it cannot be decoded. One without an `id` is no frame of the
    /// stream.
    package func read(_ frame: RawSpan, _ id: FrameID?, as shape: PlaneShape) -> UnsafeRawBufferPointer? {
        giveBack()
        if let id, let (planes, key) = stream { shared = planes.take(id, shape, for: key) }
        return (shared ?? unshared(shape)).planes { decode(frame, shape, into: $0) }
    }

    private func giveBack() {
        if let shared, let (planes, _) = stream { planes.giveBack(shared) }
        shared = nil
    }

    /// Memory for a frame that no one else reads.
    private func unshared(_ shape: PlaneShape) -> DecodedFrame {
        if own?.shape != shape { own = (shape, DecodedFrame(byteCount: shape.byteCount)) }
        own!.frame.forget()
        return own!.frame
    }

    private func decode(_ frame: RawSpan, _ shape: PlaneShape, into memory: UnsafeMutableRawBufferPointer) -> Bool {
        do throws(JPEGError) {
            if decoder == nil { decoder = try JPEGDecoder() }
            let flaw =
                if let layout = shape.layout {
                    try decoder!.decode(frame, of: shape.frames, shrunkBy: shape.shrink, to: layout, in: memory)
                } else {
                    try decoder!.decodeRGB(frame, size: shape.frames, into: memory)
                }
            return flaw == nil
        } catch { return false }
    }
}
