// SPDX-License-Identifier: MIT
// How depth, and what comes with it, lies in frames of the formats that depth cameras deliver.

/// How the planes of a depth camera's frames lie in memory.
///
/// Depth is a little-endian word of 16 bits for each pixel, in counts (`DepthUnit`), where `DepthUnit.unknown` says
/// that nothing was measured.
public enum DepthLayout: Hashable, Sendable {
    /// Depth (`Z16`), or infrared light of 16 bits that a device states to be depth (`Y16`).
    case depth
    /// A plane of infrared light, of which the low ten bits of a word count, and a plane of depth (`INZI`).
    case infraredThenDepth
    /// How sure the camera is of each depth, from 0 for nothing to 15: four bits, the first of two pixels in the low
    /// half of a byte (`CNF4`). It comes as a stream of its own, beside one of depth.
    case confidence

    /// The layout of a pixel format; nil if its frames are no depth. `Y16` is infrared light unless the camera is
    /// known to deliver depth in it (`isDepthCamera`).
    public init?(_ format: PixelFormat, isDepthCamera: Bool = false) {
        if format == .y16, isDepthCamera {
            self = .depth
            return
        }
        guard case .depth(let layout) = format.row?.coding else { return nil }
        self = layout
    }

    /// Whether there is a plane of depth.
    public var hasDepth: Bool { self != .confidence }

    /// The index of the plane of depth among the format's planes; nil if it has none.
    public var depthPlane: Int? {
        switch self {
        case .depth: 0
        case .infraredThenDepth: 1
        case .confidence: nil
        }
    }

    /// Bytes of an unpadded row as drivers count them: over all planes.
    func rowBytes(width: Int) -> Int {
        switch self {
        case .depth: saturatingProduct(2, width)
        case .infraredThenDepth: saturatingProduct(4, width)
        case .confidence: ceilDivide(width, 2)
        }
    }

    /// The planes of frames whose rows are `bytesPerLine` apart, as a driver states it.
    ///
    /// For two planes, drivers state the bytes of a row of both. Some state those of one, which cannot be those of both
    /// unless the rows were too short.
    func planes(of size: FrameSize, bytesPerLine: Int) -> [Plane] {
        let whole = rowBytes(width: size.width)
        guard self == .infraredThenDepth else {
            return [Plane(offset: 0, stride: bytesPerLine, rowBytes: whole, rows: size.height)]
        }
        let row = saturatingProduct(2, size.width), stride = bytesPerLine >= whole ? bytesPerLine / 2 : bytesPerLine
        let first = Plane(offset: 0, stride: stride, rowBytes: row, rows: size.height)
        return [first, Plane(offset: first.end, stride: stride, rowBytes: row, rows: size.height)]
    }
}

extension FrameFormat {
    /// The format of the first plane of a depth camera's frames as words of grey: depth, or infrared light; nil for
    /// other frames. Allocates nothing.
    package var firstPlaneAsGrey: FrameFormat? {
        var grey = self
        switch DepthLayout(pixelFormat) {
        case .depth: grey.pixelFormat = .y16
        case .infraredThenDepth:
            grey.pixelFormat = .y10
            if bytesPerLine >= saturatingProduct(4, size.width) { grey.bytesPerLine /= 2 }
        case .confidence, nil: return nil
        }
        return grey
    }
}

extension PixelFormat {
    /// Whether a frame has a plane of distances. `Y16` may have, too, which only the device knows (`DepthLayout`).
    public var isDepth: Bool { DepthLayout(self)?.hasDepth ?? false }

    /// The formats of depth cameras that livecap reads, as lists show them: distances, and confidence in them.
    public static var ofDepthCameras: [PixelFormat] {
        PixelFormatRow.all.compactMap { if case .depth = $0.coding { $0.format } else { nil } }
    }
}
