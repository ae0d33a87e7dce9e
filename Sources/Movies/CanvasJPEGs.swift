// SPDX-License-Identifier: MIT
// A track of JPEG pictures of one size: unchanged where the camera's are such, else made so.

import LivecapCMovies
import LivecapFrames
import LivecapJPEG
import LivecapPictures

/// JPEG pictures of a canvas. Frames that are such pictures pass through untouched; all others, also those of cameras
/// that are not upright, become JPEG pictures of the canvas' size.
final class CanvasJPEGs: CanvasTrack {
    let stream: MovieStream
    private let size: FrameSize
    private let painter: CanvasPainter
    /// Whether they show a part of the frames, or a date over them.
    private let isOther: Bool
    private var passesThrough = false
    /// The last picture, and the same with its mark, once that was needed.
    private var last: [UInt8] = []
    private var marked: [UInt8] = []

    private static let quality = 90
    /// Marked pictures may be many.
    private static let markedQuality = 60

    init(_ format: MovieFormat, _ canvas: CanvasShape) {
        size = canvas.size
        isOther = canvas.crop != nil || canvas.date != nil
        painter = CanvasPainter(
            canvas.size, .jpeg(quality: Self.quality), .jpeg, crop: canvas.crop, date: canvas.date)
        stream = MovieStream(
            format: format, picture: lc_movie_picture(size: canvas.size, rate: canvas.rate, colorimetry: .jpeg))
    }

    func follow(_ planes: SharedPlanes) { painter.follow(planes) }

    func show(_ frames: FrameFormat, _ mount: CameraMount) {
        passesThrough = frames.pixelFormat.isJPEG && frames.size == size && mount == .upright && !isOther
        if !passesThrough { painter.show(frames, mount) }
    }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if !passesThrough {
            guard let count = painter.draw(bytes, of: frame) else { return false }
            keep(UnsafeRawBufferPointer(rebasing: painter.picture[..<count]))
        } else if frame.flags.contains(.standardHuffmanTables) {
            let whole = StandardHuffmanTables.inserted(into: bytes)
            whole.span.bytes.withUnsafeBytes { keep($0) }
        } else {
            bytes.withUnsafeBytes { keep($0) }
        }
        try hand(on: last, at: time, take)
        return true
    }

    func addAgain(
        isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        if isMarked, marked.isEmpty { marked = Self.marked(last, size) ?? last }
        try hand(on: isMarked ? marked : last, at: time, take)
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) {}
    func begin() {}

    private func keep(_ picture: UnsafeRawBufferPointer) {
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: picture)
        marked.removeAll(keepingCapacity: true)
    }

    private func hand(
        on picture: [UInt8], at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        try picture.span.bytes.withUnsafeBytes { (bytes) throws(MovieError) in
            try take(MoviePacket(bytes: bytes, time: time, isKey: true))
        }
    }

    /// The same picture with its mark; nil if it cannot be decoded.
    private static func marked(_ picture: [UInt8], _ size: FrameSize) -> [UInt8]? {
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            var encoder = try JPEGEncoder()
            let sampling = try decoder.header(picture.span.bytes).sampling
            guard let layout = PlanarLayout(size: size, sampling: sampling) else { return nil }
            var planes = [UInt8](repeating: 128, count: layout.byteCount)
            try planes.withUnsafeMutableBufferPointer { planes throws(JPEGError) in
                try decoder.decode(picture.span.bytes, to: layout, in: UnsafeMutableRawBufferPointer(planes))
                CanvasMark.apply(to: planes.baseAddress!, layout.planes, .full)
            }
            return try encoder.encode(planes.span.bytes, layout: layout, quality: markedQuality) { jpeg in
                jpeg.withUnsafeBytes { Array($0) }
            }
        } catch { return nil }
    }
}
