// SPDX-License-Identifier: MIT
// Frames steadied before they become a movie's pictures.

import Fusion
import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// Steadies the frames of another track, which gets them as planes of 4:2:0. Used by one thread.
///
/// A steadied picture may come later than its frame, because the frames after it say how to show it. Requests that
/// come meanwhile wait in their order. Frames that are missing do not hold up those that are there: once as much
/// else was asked for as the look-ahead has frames, pictures are made of what is known.
class SteadyTrack: MovieTrack {
    private let track: any MovieTrack
    private let mode: StabilizationMode
    private let rate: FrameRate?
    private var steadier: FrameSteadier
    private var planes: SharedPlanes?
    private var waiting: [Waiting] = []
    private var picture: [UInt8]

    /// What was asked for.
    private enum Waiting {
        case picture(Duration)
        /// The last picture once more.
        case again(isMarked: Bool, Duration)

        var time: Duration {
            switch self {
            case .picture(let time), .again(_, let time): time
            }
        }
    }

    /// A track of steadied frames of a source, whose pictures `track` makes of what `FrameSteadier` makes of frames.
    fileprivate init(
        _ track: any MovieTrack, _ source: SourceDescription, _ mode: StabilizationMode
    ) throws(MovieError) {
        self.track = track
        self.mode = mode
        rate = source.rate
        steadier = try Self.steadier(source.format, source.rate, mode)
        picture = [UInt8](repeating: 0, count: steadier.format.byteCount)
    }

    var stream: MovieStream { track.stream }

    var oldest: Duration? { waiting.first?.time }

    var waitingCount: Int { waiting.count }

    func rest(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) {
        try advance(isOver: true, take)
    }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        guard steadier.add(frame, bytes) else { return false }
        waiting.append(.picture(time))
        try advance(isOver: false, take)
        return true
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) {
        try advance(isOver: true, take)
        try track.finish(take)
    }

    func begin() throws(MovieError) { try track.begin() }

    func follow(_ planes: SharedPlanes) {
        self.planes = planes
        steadier.follow(planes)
    }

    /// Frames of another format follow: those that wait are made pictures first. Returns the new format of pictures.
    fileprivate func change(
        to frames: FrameFormat, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> FrameFormat {
        try advance(isOver: true, take)
        steadier = try Self.steadier(frames, rate, mode)
        steadier.follow(planes)
        picture = [UInt8](repeating: 0, count: steadier.format.byteCount)
        return steadier.format
    }

    fileprivate func repeatLast(
        isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        waiting.append(.again(isMarked: isMarked, time))
        try advance(isOver: false, take)
    }

    /// Shows the track's last picture again.
    fileprivate func addAgain(
        toTrack isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) { preconditionFailure("only a canvas shows pictures again") }

    private static func steadier(
        _ frames: FrameFormat, _ rate: FrameRate?, _ mode: StabilizationMode
    ) throws(MovieError) -> FrameSteadier {
        do throws(FusionError) { return try FrameSteadier(frames, at: rate, mode) } catch {
            throw .failed("frames cannot be steadied", detail: error.message)
        }
    }

    /// Hands on what can be.
    private func advance(
        isOver: Bool, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        while let next = waiting.first {
            switch next {
            case .again(let isMarked, let time): try addAgain(toTrack: isMarked, at: time, take)
            case .picture(let time):
                let isDue = isOver || waiting.count > steadier.delay
                let frame = picture.withUnsafeMutableBytes { steadier.draw(into: $0, isOver: isDue) }
                guard let frame else { return }
                _ = try track.add(frame, picture.span.bytes, at: time, take)
            }
            waiting.removeFirst()
        }
    }
}

extension SteadyTrack {
    /// The track of a source's steadied frames. JPEG pictures are made anew: none passes through unchanged.
    static func of(
        _ source: SourceDescription, format: MovieFormat, canvas: CanvasShape?, mode: StabilizationMode,
        library: MovieLibrary
    ) throws(MovieError) -> SteadyTrack {
        var steady = source
        steady.format = PlaneFolding.pictures(of: source.format)
        switch (format.codec == .mjpeg, canvas) {
        case (true, let canvas?): return try SteadyCanvas(CanvasJPEGs(format, canvas), source, mode)
        case (true, nil):
            let shape = CanvasShape(
                size: steady.format.size, rate: source.rate ?? FrameRate(30), isFirstSources: true)
            let track = CanvasJPEGs(format, shape)
            track.show(steady.format, .upright)
            return try SteadyTrack(track, source, mode)
        case (false, let canvas?):
            return try SteadyCanvas(
                EncodedCanvas(format, canvas: canvas, first: steady.format, library: library), source, mode)
        case (false, nil): return try SteadyTrack(EncodedTrack(format, steady, library), source, mode)
        }
    }
}

/// Steadied frames of changing sources on a canvas.
final class SteadyCanvas: SteadyTrack, CanvasTrack {
    private let canvas: any CanvasTrack
    private var shown: (frames: FrameFormat, mount: CameraMount)?

    fileprivate init(
        _ canvas: any CanvasTrack, _ source: SourceDescription, _ mode: StabilizationMode
    ) throws(MovieError) {
        self.canvas = canvas
        try super.init(canvas, source, mode)
    }

    func show(_ frames: FrameFormat, _ mount: CameraMount) { shown = (frames, mount) }

    override func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if let (frames, mount) = shown {
            shown = nil
            canvas.show(try change(to: frames, take), mount)
        }
        return try super.add(frame, bytes, at: time, take)
    }

    func addAgain(
        isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) { try repeatLast(isMarked: isMarked, at: time, take) }

    override fileprivate func addAgain(
        toTrack isMarked: Bool, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) { try canvas.addAgain(isMarked: isMarked, at: time, take) }
}
