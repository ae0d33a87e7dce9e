// SPDX-License-Identifier: MIT
// A track of pictures of one size, whichever sources they come from: encoded.

import LivecapCMovies
import LivecapFrames
import LivecapPictures

/// Turns frames of changing sources into pictures of one size, and can show the last one again. Used by one thread.
protocol CanvasTrack: MovieTrack {
    /// The frames that follow have this format, and are mounted so.
    func show(_ frames: FrameFormat, _ mount: CameraMount)
    /// Shows the last picture again.
    func addAgain(
        isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError)
}

/// Pictures of a canvas by one encoder, which never learns of a change.
final class EncodedCanvas: CanvasTrack {
    private let format: MovieFormat
    private let described: lc_movie_picture
    private var encoder: VideoEncoder
    private let library: MovieLibrary
    private let painter: CanvasPainter
    private let planes: [Plane]
    private let range: Colorimetry.Range
    /// The last picture with its mark, once that was needed.
    private let marked: UnsafeMutableRawBufferPointer
    private var isMarkedCurrent = false
    /// The last picture's time: encoders take no two of the same time.
    private var last = Duration.microseconds(-1)

    /// A track of a canvas, with the colours of the first source's frames.
    /// - Throws: `noEncoder`, `tooSmall`.
    init(
        _ format: MovieFormat, canvas: CanvasShape, first: FrameFormat, library: MovieLibrary
    ) throws(MovieError) {
        self.format = format
        self.library = library
        let isRGB = first.pixelFormat.samples?.model == .rgb
        let colorimetry = isRGB ? .jpeg : first.colorimetry
        var picture = lc_movie_picture(size: canvas.size, rate: canvas.rate, colorimetry: colorimetry)
        encoder = try VideoEncoder(format, &picture, library)
        described = picture
        range = colorimetry.range
        painter = CanvasPainter(encoder.size, .i420, colorimetry, crop: canvas.crop, date: canvas.date)
        planes = FrameFormat(pixelFormat: .i420, size: encoder.size).planes
        marked = .allocate(byteCount: painter.picture.count, alignment: 64)
    }

    deinit { marked.deallocate() }

    var stream: MovieStream {
        MovieStream(format: format, picture: described, extradata: encoder.extradata, encoder: encoder.name)
    }

    func follow(_ planes: SharedPlanes) { painter.follow(planes) }

    func show(_ frames: FrameFormat, _ mount: CameraMount) { painter.show(frames, mount) }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        guard painter.draw(bytes, of: frame) != nil else { return false }
        isMarkedCurrent = false
        try encode(painter.picture, at: time, take)
        return true
    }

    func addAgain(
        isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        if isMarked, !isMarkedCurrent {
            marked.copyMemory(from: UnsafeRawBufferPointer(painter.picture))
            CanvasMark.apply(to: marked.assumingMemoryBound(to: UInt8.self).baseAddress!, planes, range)
            isMarkedCurrent = true
        }
        try encode(isMarked ? marked : painter.picture, at: time, take)
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) { try encoder.finish(take) }

    func begin() throws(MovieError) {
        var picture = described
        encoder = try VideoEncoder(format, &picture, library)
    }

    private func encode(
        _ picture: UnsafeMutableRawBufferPointer, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        last = max(time, last + .microseconds(1))
        try encoder.encode(
            at: last,
            { targets, strides in
                for (component, plane) in planes.enumerated() {
                    for row in 0..<plane.rows {
                        (targets[component] + row * strides[component]).copyMemory(
                            from: picture.baseAddress! + plane.offset + row * plane.stride, byteCount: plane.rowBytes)
                    }
                }
            }, take)
    }
}
