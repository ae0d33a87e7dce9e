// SPDX-License-Identifier: MIT
// Frames to a still: the whole pipeline.

import CFusionKernels
import Frames

/// Fuses frames of one format. It owns the memory it works in, so that steady use allocates nothing; one fusion at a
/// time.
public final class Fuser {
    /// The most frames a fusion takes.
    public static let mostFrames = 16
    /// What it fuses.
    public let format: FrameFormat
    /// What it was asked for.
    public let settings: FusionSettings
    /// Which kernels it uses.
    public let level: KernelLevel
    let chroma: ChromaGrid
    let pool: any FusionPool
    let kernels: UnsafePointer<fusion_kernels>
    /// The whole of the quickest method.
    private let frameDenoiser: FrameDenoiser?

    /// A fuser for frames of `format`. Compressed formats are decoded before: MJPG frames come here as YUV422P.
    public init(
        _ format: FrameFormat, _ settings: FusionSettings = FusionSettings(), pool: any FusionPool = CallersThread()
    ) throws(FusionError) {
        guard let chroma = Self.chromaGrid(of: format) else { throw .unsupportedFormat(format) }
        level = if let level = settings.level { level } else { try .chosen() }
        kernels = try level.kernels()
        (self.format, self.settings, self.pool, self.chroma) = (format, settings, pool, chroma)
        frameDenoiser =
            settings.method == .speed ? FrameDenoiser(format.size, chroma, kernels: kernels, pool: pool) : nil
    }

    /// Whether frames of `format` can be fused.
    public static func takes(_ format: FrameFormat) -> Bool { chromaGrid(of: format) != nil }

    private static func chromaGrid(of format: FrameFormat) -> ChromaGrid? {
        guard format.problem == nil, (16...8192).contains(format.size.width), (16...8192).contains(format.size.height)
        else { return nil }
        switch format.pixelFormat.layout {
        case .packed422, .semiPlanar(2, 1, _), .planar(2, 1, _): return .pairs
        case .semiPlanar(2, 2, _), .planar(2, 2, _): return .quads
        case .grey: return ChromaGrid.none
        default: return nil
        }
    }

    /// A frame to prepare into, as often as one likes.
    public func makeFrame() -> FusionFrame { FusionFrame(format, chroma) }

    /// A picture to fuse into, as often as one likes.
    public func makePicture() -> FusedPicture { FusedPicture(format, chroma) }

    /// Does the work on a frame that every shot of it shares. No fusion may be reading `frame`.
    public func prepare(_ bytes: RawSpan, into frame: FusionFrame) throws(FusionError) {
        guard frame.format == format else { throw .foreignFormat(frame.format) }
        guard bytes.byteCount >= format.neededBytes else {
            throw .shortFrame(bytes: bytes.byteCount, needed: format.neededBytes)
        }
        bytes.withUnsafeBytes { bytes in unpack(bytes.assumingMemoryBound(to: UInt8.self).baseAddress!, into: frame) }
    }

    private func unpack(_ bytes: UnsafePointer<UInt8>, into frame: FusionFrame) {
        let places = format.planes, size = format.size
        switch format.pixelFormat.layout {
        case .packed422(let first, let cb, let cr):
            let (a, b) = cb < cr ? (1, 2) : (2, 1)
            for y in 0..<size.height {
                kernels.pointee.split_packed422(
                    bytes + places[0].offset + y * places[0].stride, first, (size.width + 1) / 2,
                    frame.planes[0].row(y), frame.planes[a].row(y), frame.planes[b].row(y))
            }
        case .semiPlanar(_, _, let crFirst):
            copy(bytes, places[0], into: frame.planes[0])
            let (a, b) = crFirst ? (2, 1) : (1, 2)
            for y in 0..<frame.planes[1].height {
                kernels.pointee.split_pairs(
                    bytes + places[1].offset + y * places[1].stride, frame.planes[1].width, frame.planes[a].row(y),
                    frame.planes[b].row(y))
            }
        default:
            for (place, plane) in zip(places, frame.planes) { copy(bytes, place, into: plane) }
        }
    }

    private func copy(_ bytes: UnsafePointer<UInt8>, _ place: Plane, into plane: SamplePlane) {
        for y in 0..<plane.height {
            plane.row(y).update(from: bytes + place.offset + y * place.stride, count: plane.width)
        }
    }

    /// Fuses `frames` into `picture`: the moment of `frames[reference]`, with what the others know of it.
    public func fuse(
        _ frames: [FusionFrame], reference: Int, into picture: FusedPicture
    ) throws(FusionError) -> FusionReport {
        guard (1...Self.mostFrames).contains(frames.count) else {
            throw .frameCount(frames.count, most: Self.mostFrames)
        }
        guard frames.indices.contains(reference) else { throw .noSuchReference(reference) }
        for frame in frames where frame.format != format { throw .foreignFormat(frame.format) }
        if let frameDenoiser { return fuseAlone(frames, reference, frameDenoiser, into: picture) }
        let taken = frames
        for (index, plane) in picture.planes.enumerated() {
            var sums = [UInt16](repeating: 0, count: plane.width)
            for y in 0..<plane.height {
                for place in sums.indices { sums[place] = 0 }
                for frame in taken { kernels.pointee.add_row(frame.planes[index].row(y), plane.width, &sums) }
                kernels.pointee.mean_row(
                    sums, plane.width, UInt32(taken.count), plane.samples.baseAddress! + y * plane.width)
            }
        }
        return FusionReport(
            shares: frames.map { _ in .init(weight: 1, rejection: nil) }, noise: 0, evidence: Double(taken.count),
            stages: [(.merge, .zero)], level: level)
    }

    /// The reference alone, denoised by what it says of its own noise.
    private func fuseAlone(
        _ frames: [FusionFrame], _ reference: Int, _ denoiser: FrameDenoiser, into picture: FusedPicture
    ) -> FusionReport {
        let start = Timestamp.now
        let noise = denoiser.run(frames[reference], into: picture)
        return FusionReport(
            shares: frames.indices.map { index in
                .init(weight: index == reference ? 1 : 0, rejection: index == reference ? nil : .unneeded)
            }, noise: noise, evidence: 1, stages: [(.denoise, Timestamp.now - start)], level: level)
    }
}
