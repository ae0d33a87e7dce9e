// SPDX-License-Identifier: MIT
// The still: planes with 16 bits per sample.

import LivecapCFusionKernels
import LivecapFrames

/// A fused still. Samples are frame codes times 256, which keeps the precision that N frames add beyond 8 bits.
public final class FusedPicture {
    /// One plane of 16-bit samples, row by row without padding.
    public struct Plane {
        /// Samples per row.
        public let width: Int
        /// Rows.
        public let height: Int
        /// The samples, `width * height` of them, owned by the picture.
        package let samples: UnsafeMutableBufferPointer<UInt16>
    }

    /// The frame format it was made for.
    let format: FrameFormat
    /// The kernels that convert its rows to bytes.
    let kernels: UnsafePointer<fusion_kernels>
    /// The picture's size in pixels.
    public let size: FrameSize
    /// How many pixels share a chroma sample; `none` for grey pictures.
    public let chroma: ChromaGrid
    /// How samples map to colours: as in the frames, except that R'G'B' has become Y'CbCr by BT.601.
    public let colorimetry: Colorimetry
    /// Y', then Cb and Cr unless the picture is grey.
    public let planes: [Plane]
    /// How many frames' worth of evidence supports each region of 16x16 pixels, row by row: 1 where only the
    /// reference contributed, the number of frames where all agree.
    public internal(set) var evidence: [Float]
    /// Why regions rest on fewer frames than others; nil where most of the frames used agree.
    public internal(set) var refusals: [Refusal?]
    /// Regions of 16x16 pixels across; the last column may be cut off.
    public var regionsAcross: Int { (size.width + 15) / 16 }
    /// Regions of 16x16 pixels down; the last row may be cut off.
    public var regionsDown: Int { (size.height + 15) / 16 }

    /// Lends the rows of a plane, whose samples are `words`, for the length of `body`. Nil without calling `body` if
    /// the picture has no such plane.
    /// - Throws: what `body` throws.
    public func withPlane<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (borrowing PlaneRows) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard planes.indices.contains(index) else { return nil }
        let plane = planes[index], rowBytes = 2 * plane.width
        let rows = LivecapFrames.Plane(offset: 0, stride: rowBytes, rowBytes: rowBytes, rows: plane.height)
        return try body(PlaneRows(rows, in: UnsafeRawBufferPointer(plane.samples).bytes))
    }

    convenience init(_ format: FrameFormat, _ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>) {
        self.init(format, chroma, format.fusedColorimetry, kernels: kernels)
    }

    /// A picture whose samples the caller writes: those of a picture file, which no frame had.
    /// - Throws: `unsupportedLevel` if the processor, or the environment, has no such level of kernels.
    package convenience init(
        _ size: FrameSize, _ chroma: ChromaGrid, _ colorimetry: Colorimetry, level: KernelLevel?
    ) throws(FusionError) {
        let level = if let level { level } else { try KernelLevel.chosen() }
        // No fuser has this format, so none takes the picture for one of its own.
        let format = FrameFormat(pixelFormat: PixelFormat("FILE"), size: size, colorimetry: colorimetry)
        self.init(format, chroma, colorimetry, kernels: try level.kernels())
    }

    init(
        _ format: FrameFormat, _ chroma: ChromaGrid, _ colorimetry: Colorimetry,
        kernels: UnsafePointer<fusion_kernels>
    ) {
        self.format = format
        self.kernels = kernels
        size = format.size
        self.chroma = chroma
        self.colorimetry = colorimetry
        func plane(_ width: Int, _ height: Int) -> Plane {
            let samples = UnsafeMutableBufferPointer<UInt16>(
                start: .allocate(inLines: width * height), count: width * height)
            samples.initialize(repeating: 0)
            return Plane(width: width, height: height, samples: samples)
        }
        let luma = plane(size.width, size.height)
        let across = chroma.width(of: size.width), down = chroma.height(of: size.height)
        planes = chroma == .none ? [luma] : [luma, plane(across, down), plane(across, down)]
        evidence = []
        refusals = []
        evidence = [Float](repeating: 1, count: regionsAcross * regionsDown)
        refusals = evidence.map { _ in nil }
    }

    /// Sets the same evidence everywhere.
    func setEvidence(_ frames: Float) {
        evidence.withUnsafeMutableBufferPointer { $0.update(repeating: frames) }
        refusals.withUnsafeMutableBufferPointer { $0.update(repeating: nil) }
    }

    /// The shares of regions that have each reason.
    var refused: FusionReport.Refused {
        refusals.reduce(into: .init()) { shares, reason in
            if let reason { shares[reason] += 1 / Double(refusals.count) }
        }
    }

    deinit { for plane in planes { plane.samples.baseAddress!.deallocate(inLines: plane.samples.count) } }
}

extension FrameFormat {
    /// How the samples of pictures fused from such frames map to colours. R'G'B' is fused as Y'CbCr 4:2:2 by BT.601,
    /// in the range of the frames.
    var fusedColorimetry: Colorimetry {
        var fused = colorimetry
        if pixelFormat.samples?.model == .rgb { fused.matrix = .bt601 }
        return fused
    }
}

/// How many pixels share a chroma sample, wherever Cb and Cr lie in a camera's frame.
public enum ChromaGrid: Hashable, Sendable {
    /// No chroma.
    case none
    /// 4:4:4: each pixel has its own. Only pictures of files have that; frames are fused as one of the others.
    case singles
    /// 4:2:2: two pixels of a row share a chroma sample.
    case pairs
    /// 4:2:0: two by two pixels share a chroma sample.
    case quads

    /// The number of pixels side by side that share a chroma sample; 1 without chroma.
    package var across: Int { self == .pairs || self == .quads ? 2 : 1 }
    /// The number of rows that share a chroma sample; 1 without chroma.
    package var down: Int { self == .quads ? 2 : 1 }

    /// Chroma samples in a row of `pixels` pixels.
    public func width(of pixels: Int) -> Int { self == .none ? 0 : (pixels + across - 1) / across }
    /// Rows of chroma samples in a picture of `rows` rows.
    public func height(of rows: Int) -> Int { self == .none ? 0 : (rows + down - 1) / down }
}
