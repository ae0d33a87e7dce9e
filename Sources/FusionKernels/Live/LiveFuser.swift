// SPDX-License-Identifier: MIT
// Fuses each frame of a stream with what is remembered of those before.

import LivecapCFusionKernels
import LivecapFrames
import LivecapThreads

/// Fuses a stream of frames of one format, each with its past: the picture that leaves has the frame's moment, and less
/// noise.
///
/// It owns its working memory, and uses it for one frame at a time. What it remembers is one picture, in fractions of
/// codes, and how much each sample of it can be trusted. With each frame, the picture is moved to where its parts are
/// now; where it then agrees with the frame as far as noise allows, both are averaged, and elsewhere the frame alone
/// counts.
public final class LiveFuser {
    /// The format of the frames it takes.
    public let format: FrameFormat
    /// The format of the pictures it makes: planes of bytes.
    public let pictureFormat: FrameFormat
    /// The level of the kernels it uses.
    public let level: KernelLevel
    let settings: LiveSettings
    let chroma: ChromaGrid
    let pool: any FusionPool
    let kernels: UnsafePointer<fusion_kernels>
    let preparer: FramePreparer
    let shrinker: Shrinker
    /// The newest frame, and the one before, in turn.
    private var frames: (newest: FusionFrame, before: FusionFrame)
    /// What was shown last, without the noise of a single frame: motion is found from it.
    let shown: FusionFrame
    let motion: LiveMotion
    let planes: [LivePlane]
    let noises: [LiveNoise]
    /// For each band, the squares of a few rows, and their sums.
    private let rows: [LiveRows]
    private var hasPast = false
    /// Kept because computing it from the format allocates memory.
    private let pictureBytes: Int

    /// Creates a fuser for frames of `format`. Compressed formats must be decoded first.
    /// - Throws: `unsupportedFormat`, `noMemory`, and `unsupportedLevel` if the environment names an unknown level of
    ///   kernels.
    public init(
        _ format: FrameFormat, _ settings: LiveSettings = LiveSettings(), pool: any FusionPool = CallersThread()
    ) throws(FusionError) {
        guard let chroma = Fuser.chromaGrid(of: format), let samples = format.pixelFormat.samples else {
            throw .unsupportedFormat(format)
        }
        let needed = Self.memory(for: format, chroma)
        guard AddressSpace.hasRoom(for: needed) else { throw .noMemory(bytes: needed) }
        level = if let level = settings.level { level } else { try .chosen() }
        kernels = try level.kernels()
        self.format = format
        self.settings = settings
        self.chroma = chroma
        self.pool = pool
        pictureFormat = format.livePicture(chroma)
        pictureBytes = pictureFormat.neededBytes
        preparer = FramePreparer(format, samples, kernels)
        shrinker = Shrinker(kernels)
        frames = (FusionFrame(format, chroma), FusionFrame(format, chroma))
        shown = FusionFrame(format, chroma)
        motion = LiveMotion(shown, chroma, kernels)
        planes = shown.planes.map { LivePlane($0) }
        noises = planes.map { _ in LiveNoise() }
        let bands = (format.size.height + Shrinker.bandRows - 1) / Shrinker.bandRows
        let longest = planes[0].blocks
        rows = (0..<bands).map { _ in LiveRows(blocks: longest) }
    }

    /// The memory that frames of a format take here, rounded up: three frames, each with its planes and halvings, and
    /// for each sample the nine bytes of `LivePlane`, with its margins.
    static func memory(for format: FrameFormat, _ chroma: ChromaGrid) -> Int {
        let size = format.size
        let chromaSamples = chroma == .none ? 0 : 2 * chroma.width(of: size.width) * chroma.height(of: size.height)
        let samples = size.area + chromaSamples
        let frame = (Fuser.keepsFractions(of: format) ? 3 : 1) * samples + 2 * size.area
        return 3 * frame + 11 * samples
    }

    /// Forgets all frames, as after an interruption.
    public func forget() { hasPast = false }

    /// Fuses a frame with what is remembered. The picture can then be read with `write`.
    /// - Throws: `shortFrame` if there are fewer bytes than the format needs; nothing is forgotten then.
    public func fuse(_ bytes: RawSpan) throws(FusionError) -> LiveReport {
        frames = (newest: frames.before, before: frames.newest)
        let frame = frames.newest
        try preparer.prepare(bytes, into: frame, pool)
        guard hasPast else { return begin(frame) }
        guard !frame.isSame(as: frames.before) else { return report(.repeated) }
        guard motion.follow(frame, shown: shown, noises: noises, pool: pool) else { return begin(frame) }
        move(frame)
        for place in planes.indices {
            let apart = apart(place)
            noises[place].measure(planes[place], motion.fields[place], frame.levels[2].view, apart: apart)
            noises[place].scale(planes[place], motion.fields[place], frame.levels[2].view, apart: apart)
        }
        blend(frame)
        finish()
        return report(.fused)
    }

    /// How many samples of an eighth of the size cells of a plane are apart.
    private func apart(_ place: Int) -> (x: Int, y: Int) {
        place == 0 ? (1, 1) : (2, chroma == .quads ? 2 : 1)
    }

    private func begin(_ frame: FusionFrame) -> LiveReport {
        for (plane, samples) in zip(planes, frame.planes) { plane.begin(samples) }
        hasPast = true
        // Noise that is known already, from before a cut, allows to denoise the first frame by itself.
        for place in planes.indices where noises[place].isKnown {
            noises[place].scaleAlone(planes[place], frame.levels[2].view, apart: apart(place))
        }
        finish()
        return report(.begun)
    }

    private func report(_ outcome: LiveReport.Outcome) -> LiveReport {
        let noise = noises[0].isKnown ? noises[0].variance[128].squareRoot() : 0
        return LiveReport(outcome: outcome, noise: noise, evidence: evidence)
    }

    /// The mean of the number of frames that samples are worth.
    private var evidence: Float {
        let plane = planes[0]
        var (sum, count) = (Float(0), Float(0))
        for y in Swift.stride(from: 4, to: plane.height, by: 16) {
            let row = plane.doubt + y * plane.stride
            for x in Swift.stride(from: 4, to: plane.width, by: 16) {
                sum += 255 / Float(max(1, row[x]))
                count += 1
            }
        }
        return count > 0 ? sum / count : 1
    }

    // MARK: The passes over the picture

    /// The rows of a band in a plane.
    private func rows(_ band: Int, _ place: Int) -> Range<Int> {
        let each = place > 0 && chroma == .quads ? Shrinker.bandRows / 2 : Shrinker.bandRows
        return min(each * band, planes[place].height)..<min(each * (band + 1), planes[place].height)
    }

    private func move(_ frame: FusionFrame) {
        let (planes, fields) = (planes, motion.fields)
        for plane in planes { plane.turn() }
        nonisolated(unsafe) let me = self
        pool.run(rows.count) { band in
            for place in planes.indices {
                me.move(planes[place], field: fields[place], frame: frame.planes[place], rows: me.rows(band, place))
            }
        }
    }

    private func move(_ plane: LivePlane, field: MotionField, frame: SamplePlane, rows: Range<Int>) {
        for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: 8) {
            let cell = y / 8 * plane.across, at = y * plane.stride
            plane.rests[y / 8] = field.rests(row: y / 8) ? 1 : 0
            let (moved, movedDoubt) = plane.present(y)
            var parameters = fusion_live_move_parameters(
                past: plane.before + at, doubt: plane.beforeDoubt + at, stride: plane.stride, cells: plane.across,
                rows: min(8, plane.height - y), motion: field.motion.base + 2 * cell, share: field.share.base + cell,
                fade: Self.fade, out: moved, out_doubt: movedDoubt, out_stride: plane.stride)
            if plane.rests[y / 8] == 0 { kernels.pointee.live.live_move(&parameters) }
            guard y + 8 <= plane.height else { continue }
            kernels.pointee.live.live_spread(
                frame.row(y), frame.stride, moved, plane.stride, plane.blocks,
                plane.spread.base + 3 * (y / 8 * plane.scaleStride))
        }
    }

    private func blend(_ frame: FusionFrame) {
        let planes = planes
        nonisolated(unsafe) let me = self
        pool.run(rows.count) { band in
            for place in planes.indices {
                me.blend(planes[place], frame: frame.planes[place], band: me.rows(band, place), scratch: me.rows[band])
            }
        }
        for plane in planes { plane.fillMarginRows() }
    }

    private func blend(_ plane: LivePlane, frame: SamplePlane, band: Range<Int>, scratch: LiveRows) {
        guard !band.isEmpty else { return }
        var next = max(0, band.lowerBound - 2)
        for y in band {
            while next <= min(y + 2, plane.height - 1) {
                let out = scratch.row(next)
                kernels.pointee.live.live_squares(
                    frame.row(next), plane.present(next).samples,
                    plane.scale.base + next / 8 * plane.scaleStride, plane.blocks, out)
                (out - 2).update(repeating: out[0], count: 2)
                (out + plane.width).update(repeating: out[plane.width - 1], count: 2)
                next += 1
            }
            func squares(_ off: Int) -> UnsafePointer<UInt16> {
                UnsafePointer(scratch.row(min(max(y + off, 0), plane.height - 1)))
            }
            let at = y * plane.stride, (moved, movedDoubt) = plane.present(y)
            var parameters = fusion_live_blend_parameters(
                squares: (squares(-2), squares(-1), squares(0), squares(1), squares(2)), frame: frame.row(y),
                moved: moved, doubt: movedDoubt,
                excess: plane.excess.base + y / 8 * plane.scaleStride, blocks: plane.blocks, full: Self.full,
                none: Self.none, least: 1 / Float(settings.memory), sums: scratch.sums.base, out: plane.past + at,
                out_doubt: plane.doubt + at)
            kernels.pointee.live.live_blend(&parameters)
        }
        plane.fillMargins(besides: band)
    }

    /// Writes what is shown, and prepares it for finding the next frame's motion.
    private func finish() {
        let (planes, shown, shrinker) = (planes, shown, shrinker)
        let isKnown = noises.allSatisfy { $0.isKnown }
        nonisolated(unsafe) let me = self
        pool.run(rows.count) { band in
            for place in planes.indices {
                me.finish(planes[place], shown.planes[place], me.rows(band, place), isDenoised: isKnown)
            }
            shrinker.shrinkInside(shown, band: band)
        }
        for plane in shown.planes { plane.fillMarginRows() }
        for band in rows.indices { shrinker.shrinkSeams(shown, band: band) }
        shown.levels[0].fillMargins()
        shrinker.shrinkLevels(shown)
        for tint in shown.tints { tint.fillMargins() }
    }

    private func finish(_ plane: LivePlane, _ out: SamplePlane, _ band: Range<Int>, isDenoised: Bool) {
        for y in band {
            var parameters = fusion_live_finish_parameters(
                past: plane.past + y * plane.stride, stride: plane.stride, doubt: plane.doubt + y * plane.stride,
                scale: plane.neighbourScale.base + y / 8 * plane.scaleStride, blocks: plane.blocks,
                least_doubt: isDenoised ? Self.doubtful : 256, reach: Self.reach, out: out.row(y))
            kernels.pointee.live.live_finish(&parameters)
        }
    }

    /// What interpolation adds to the doubt, in 256ths: what is moved with every frame is worth 1 / (1 + 256 / fade) at
    /// most.
    private static let fade: UInt32 = 16
    /// The mean square of differences, relative to noise, up to which the past counts fully, and from which not at all.
    private static let full: Float = 1.5, none: Float = 3
    /// The doubt from which on samples are denoised by their neighbours, and how much these may differ, in standard
    /// deviations.
    private static let doubtful: UInt32 = 40, reach: Float = 3.5

    // MARK: The picture

    /// Copies the picture: all planes, one after the other, without padding.
    public func write(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= pictureBytes, "a picture needs more bytes")
        var to = bytes.baseAddress!
        for plane in shown.planes {
            for y in 0..<plane.height {
                to.copyMemory(from: plane.row(y), byteCount: plane.width)
                to += plane.width
            }
        }
    }
}

/// Rows of squares of one band at a time, with margins.
final class LiveRows: @unchecked Sendable {
    private static let margin = 16
    private static let count = 8
    private let stride: Int
    private let squares: Scratch<UInt16>
    let sums: Scratch<UInt16>

    init(blocks: Int) {
        stride = 16 * blocks + 2 * Self.margin + 16
        squares = Scratch(stride * Self.count, filledWith: 0)
        sums = Scratch(16 * blocks + 64, filledWith: 0)
    }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { squares.base + y % Self.count * stride + Self.margin }
}

extension FrameFormat {
    /// The format of fused pictures of frames of this one.
    fileprivate func livePicture(_ chroma: ChromaGrid) -> FrameFormat {
        let pixels: PixelFormat =
            switch chroma {
            case .none: .grey
            case .pairs: .yuv422p
            case .quads: .i420
            case .singles: preconditionFailure("frames share their chroma samples")
            }
        var colorimetry = colorimetry
        colorimetry.range = ColorDecoder(self.colorimetry).range
        if pixelFormat.samples?.model == .rgb { colorimetry.matrix = .bt601 }
        return FrameFormat(pixelFormat: pixels, size: size, colorimetry: colorimetry)
    }
}
