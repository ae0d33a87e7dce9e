// SPDX-License-Identifier: MIT
// Fuses frames into a still: the entry point of the whole pipeline.

import LivecapCFusionKernels
import LivecapFrames

/// Fuses frames of one format. It owns its working memory, so in steady use it allocates no buffers, only lists as
/// long as a burst. It runs one fusion at a time.
public final class Fuser {
    /// The maximum number of frames in one fusion.
    public static let maxFrames = 16
    /// The longest side, in pixels, of a picture it accepts: far beyond any camera's.
    public static let longestSide = 8192
    /// The format of the frames it fuses.
    public let format: FrameFormat
    /// The settings it was created with.
    public let settings: FusionSettings
    /// The level of the kernels it uses.
    public let level: KernelLevel
    let chroma: ChromaGrid
    let pool: any FusionPool
    let kernels: UnsafePointer<fusion_kernels>
    private let links: FrameLinks
    private let bounds: NoiseBounds
    let preparer: FramePreparer
    /// Created by the first fusion that merges.
    private var pipeline: MergePipeline?
    /// Does all the work of the `speed` method; nil for the others.
    private let frameDenoiser: FrameDenoiser?

    /// Creates a fuser for frames of `format`. Compressed formats must be decoded first: MJPG frames arrive here as
    /// YUV422P. Fusers of the same format and level may share `links`, and with it the motion and noise found between
    /// frames.
    /// - Throws: `unsupportedFormat`, and `unsupportedLevel` if the environment names an unknown level of kernels.
    public init(
        _ format: FrameFormat, _ settings: FusionSettings = FusionSettings(), pool: any FusionPool = CallersThread(),
        links: FrameLinks = FrameLinks()
    ) throws(FusionError) {
        guard let chroma = Self.chromaGrid(of: format), let samples = format.pixelFormat.samples else {
            throw .unsupportedFormat(format)
        }
        level = if let level = settings.level { level } else { try .chosen() }
        kernels = try level.kernels()
        self.format = format
        self.settings = settings
        self.pool = pool
        self.chroma = chroma
        // Noise that was found without some bounds is not for other fusers.
        self.links = settings.withoutBounds.isEmpty ? links : FrameLinks()
        bounds = NoiseBounds(allBut: settings.withoutBounds)
        preparer = FramePreparer(format, samples, kernels)
        frameDenoiser =
            settings.method == .speed
            ? FrameDenoiser(format, chroma, kernels: kernels, pool: pool, bounds: bounds) : nil
    }

    /// Whether frames of `format` can be fused.
    public static func takes(_ format: FrameFormat) -> Bool { chromaGrid(of: format) != nil }

    /// Whether prepared frames of `format` also hold the fractions of samples, which takes more memory.
    public static func keepsFractions(of format: FrameFormat) -> Bool {
        format.pixelFormat.samples?.hasFractions ?? false
    }

    /// The sides that frames may have.
    package static let sides = 16...longestSide

    static func chromaGrid(of format: FrameFormat) -> ChromaGrid? {
        guard format.problem == nil, sides.contains(format.size.width), sides.contains(format.size.height) else {
            return nil
        }
        guard let samples = format.pixelFormat.samples else { return nil }
        switch (samples.model, samples.subsampling) {
        case (.grey, _): return ChromaGrid.none
        case (.yCbCr, (2, 1)), (.rgb, _): return .pairs
        case (.yCbCr, (2, 2)): return .quads
        default: return nil
        }
    }

    /// Creates a frame to prepare into. It can be prepared any number of times.
    public func makeFrame() -> FusionFrame { FusionFrame(format, chroma) }

    /// Creates a picture to fuse into. It can be reused any number of times.
    public func makePicture() -> FusedPicture { FusedPicture(format, chroma, kernels) }

    /// Fuses `frames` into `picture`, which shows the moment of `frames[reference]`, improved with the other frames.
    /// - Throws: `frameCount` for none or more than `maxFrames`, `noSuchReference`, and `foreignFormat` for frames or
    ///   pictures of another format.
    public func fuse(
        _ frames: [FusionFrame], reference: Int, into picture: FusedPicture
    ) throws(FusionError) -> FusionReport {
        guard (1...Self.maxFrames).contains(frames.count) else {
            throw .frameCount(frames.count, most: Self.maxFrames)
        }
        guard frames.indices.contains(reference) else { throw .noSuchReference(reference) }
        for frame in frames where frame.format != format { throw .foreignFormat(frame.format) }
        guard picture.format == format else { throw .foreignFormat(picture.format) }
        switch settings.method {
        case .mean: return mean(frames, into: picture)
        case .speed: return fuseAlone(frames, reference, frameDenoiser!, into: picture)
        case .balanced, .quality, .merge:
            let pipeline =
                pipeline
                ?? MergePipeline(
                    format, chroma: chroma, method: settings.method, level: level, kernels: kernels, pool: pool,
                    links: links, bounds: bounds)
            self.pipeline = pipeline
            return pipeline.fuse(frames, reference: reference, into: picture)
        }
    }

    private func mean(_ frames: [FusionFrame], into picture: FusedPicture) -> FusionReport {
        let start = Timestamp.now
        picture.setEvidence(Float(frames.count))
        for (index, plane) in picture.planes.enumerated() {
            guard frames[0].fine.isEmpty else {
                meanOfFine(frames, index, into: plane)
                continue
            }
            var sums = [UInt16](repeating: 0, count: plane.width)
            for y in 0..<plane.height {
                for place in sums.indices { sums[place] = 0 }
                for frame in frames { kernels.pointee.mean.add_row(frame.planes[index].row(y), plane.width, &sums) }
                kernels.pointee.mean.mean_row(
                    sums, plane.width, UInt32(frames.count), plane.samples.baseAddress! + y * plane.width)
            }
        }
        return FusionReport(
            shares: frames.map { _ in .init(weight: 1, rejection: nil) }, noise: 0, noiseBounds: [],
            evidence: Double(frames.count), refused: .init(), hotPixels: 0,
            stages: [.init(.merge, Timestamp.now - start)], level: level)
    }

    private func meanOfFine(_ frames: [FusionFrame], _ index: Int, into plane: FusedPicture.Plane) {
        let count = UInt32(frames.count)
        for y in 0..<plane.height {
            for x in 0..<plane.width {
                let sum = frames.reduce(UInt32(0)) { $0 + UInt32($1.fine[index].row(y)[x]) }
                plane.samples[y * plane.width + x] = UInt16((4 * sum + count / 2) / count)
            }
        }
    }

    /// Denoises the reference alone, with the noise estimated from that frame.
    private func fuseAlone(
        _ frames: [FusionFrame], _ reference: Int, _ denoiser: FrameDenoiser, into picture: FusedPicture
    ) -> FusionReport {
        let start = Timestamp.now
        picture.setEvidence(1)
        let noise = denoiser.run(frames[reference], into: picture)
        return FusionReport(
            shares: frames.indices.map { index in
                .init(weight: index == reference ? 1 : 0, rejection: index == reference ? nil : .unneeded)
            }, noise: noise, noiseBounds: denoiser.noiseBounds, evidence: 1, refused: .init(), hotPixels: 0,
            stages: [.init(.denoise, Timestamp.now - start)],
            level: level)
    }
}
