// SPDX-License-Identifier: MIT
// Frames steadied before they become a movie's pictures.

import Fusion
import LivecapFrames
import LivecapPictures
import LivecapStabilisation

/// Steadies the frames of another track, which gets them as planes of 4:2:0. Used by one thread.
///
/// A steadied picture may come later than its frame, because the frames after it say how to show it. What the track is told
/// meanwhile waits in the order in which it came. Frames that are missing do not hold up those that are there: once as much
/// else was asked for as the look-ahead has frames, pictures are made of what is known.
class SteadyTrack: MovieTrack {
    fileprivate let track: any MovieTrack
    private let mode: StabilizationMode
    private let rate: FrameRate?
    /// The format of the frames.
    fileprivate var frames: FrameFormat
    private var stage: Stage?
    private var waiting: [Waiting] = []
    private var epoch: UInt32?
    private var newest: Timestamp?
    private var picture: [UInt8] = []

    /// What was asked for.
    private enum Waiting {
        case picture(FrameMetadata, Duration)
        /// The last picture once more.
        case again(isMarked: Bool, Duration)

        var time: Duration {
            switch self {
            case .picture(_, let time), .again(_, let time): time
            }
        }
    }

    /// What frames of one format need.
    private struct Stage {
        let converter: PlanarConverter
        let folding: PlaneFolding
        let stabilizer: Stabilizer
        /// A frame as the stabilizer takes it.
        private(set) var samples: [UInt8]

        init(_ converter: PlanarConverter, _ frames: FrameSize, _ stabilizer: Stabilizer) {
            (self.converter, self.stabilizer) = (converter, stabilizer)
            folding = PlaneFolding(converter.sampling, frames, to: stabilizer.size)
            samples = [UInt8](repeating: 0, count: stabilizer.byteCount)
        }

        /// Adds a frame. Returns false if it cannot be decoded.
        mutating func add(_ bytes: RawSpan, begins: @autoclosure () -> Bool) -> Bool {
            guard converter.convert(bytes) else { return false }
            let (width, height) = (stabilizer.size.width, stabilizer.size.height)
            let chroma = width / 2 * (height / 2)
            samples.withUnsafeMutableBytes { samples in
                let base = samples.baseAddress!, first = base + width * height
                converter.samples.withUnsafeBytes {
                    folding.fold($0, to: [base, first, first + chroma], [width, width / 2, width / 2])
                }
            }
            stabilizer.add(samples.span.bytes, begins: begins())
            return true
        }
    }

    /// A track of steadied frames of a source, whose pictures `track` makes of frames of `Self.planes(of:)`.
    init(_ track: any MovieTrack, _ source: SourceDescription, _ mode: StabilizationMode) {
        (self.track, self.mode, frames, rate) = (track, mode, source.format, source.rate)
    }

    /// The format of steadied frames: planes of an even size.
    static func planes(of frames: FrameFormat) -> FrameFormat {
        FrameFormat(
            pixelFormat: .i420, size: FrameSize(width: frames.size.width & ~1, height: frames.size.height & ~1),
            colorimetry: PlanarConverter.colorimetry(of: frames))
    }

    var stream: MovieStream { track.stream }

    var oldest: Duration? { waiting.first?.time }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if stage == nil { stage = try makeStage(first: bytes) }
        guard stage?.add(bytes, begins: isCut(frame)) == true else { return false }
        waiting.append(.picture(frame, time))
        try advance(isOver: false, take)
        return true
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) {
        try advance(isOver: true, take)
        try track.finish(take)
    }

    func begin() throws(MovieError) { try track.begin() }

    /// Frames of another format follow: those that wait are made pictures first.
    fileprivate func change(
        to frames: FrameFormat, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        try advance(isOver: true, take)
        (self.frames, stage, epoch) = (frames, nil, nil)
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
    ) throws(MovieError) {}

    /// Longer gaps than this begin another path.
    private static let longGap = Duration.seconds(1)

    /// Whether a frame has nothing to do with the one before.
    private func isCut(_ frame: FrameMetadata) -> Bool {
        defer { (epoch, newest) = (frame.id.epoch, frame.time) }
        guard let epoch, let newest else { return true }
        return frame.id.epoch != epoch || frame.time - newest > Self.longGap
    }

    private func makeStage(first: RawSpan) throws(MovieError) -> Stage? {
        let converter: PlanarConverter?
        do throws(PictureError) { converter = try PlanarConverter(frames, first: first) } catch {
            throw .unsuitable("\(frames.pixelFormat)")
        }
        guard let converter else { return nil }
        let planes = Self.planes(of: frames)
        do throws(FusionError) {
            let stabilizer = try Stabilizer(planes.size, .s420, at: rate, mode)
            picture = [UInt8](repeating: 0, count: stabilizer.byteCount)
            return Stage(converter, frames.size, stabilizer)
        } catch { throw .failed("frames cannot be steadied", detail: error.message) }
    }

    /// Hands on what can be.
    private func advance(
        isOver: Bool, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        while let next = waiting.first {
            switch next {
            case .again(let isMarked, let time): try addAgain(toTrack: isMarked, at: time, take)
            case .picture(let frame, let time):
                guard let stabilizer = stage?.stabilizer else { break }
                let isDue = isOver || waiting.count > stabilizer.delay
                let view = picture.withUnsafeMutableBytes { stabilizer.draw(into: $0, isOver: isDue) }
                guard view != nil else { return }
                _ = try track.add(frame, picture.span.bytes, at: time, take)
            }
            waiting.removeFirst()
        }
    }
}

extension SteadyTrack {
    /// The track of a source's steadied frames. JPEG pictures are made anew: none passes through unchanged.
    static func of(
        _ source: SourceDescription, _ format: MovieFormat, _ canvas: CanvasShape?, _ mode: StabilizationMode,
        _ library: MovieLibrary
    ) throws(MovieError) -> SteadyTrack {
        var steady = source
        steady.format = planes(of: source.format)
        switch (format.codec == .mjpeg, canvas) {
        case (true, let canvas?): return SteadyCanvas(CanvasJPEGs(format, canvas), source, mode)
        case (true, nil):
            let shape = CanvasShape(
                size: steady.format.size, rate: source.rate ?? FrameRate(30), isFirstSources: true)
            let track = CanvasJPEGs(format, shape)
            track.show(steady.format, .upright)
            return SteadyTrack(track, source, mode)
        case (false, let canvas?):
            return SteadyCanvas(try EncodedCanvas(format, canvas, steady.format, library), source, mode)
        case (false, nil): return SteadyTrack(try EncodedTrack(format, steady, library), source, mode)
        }
    }
}

/// Steadied frames of changing sources on a canvas.
final class SteadyCanvas: SteadyTrack, CanvasTrack {
    private let canvas: any CanvasTrack
    private var shown: (frames: FrameFormat, mount: CameraMount)?

    init(_ canvas: any CanvasTrack, _ source: SourceDescription, _ mode: StabilizationMode) {
        self.canvas = canvas
        super.init(canvas, source, mode)
    }

    func show(_ frames: FrameFormat, _ mount: CameraMount) { shown = (frames, mount) }

    override func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if let (frames, mount) = shown {
            shown = nil
            try change(to: frames, take)
            canvas.show(Self.planes(of: frames), mount)
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
