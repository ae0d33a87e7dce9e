// SPDX-License-Identifier: MIT
// The rotation and mirroring of pictures.

import LivecapFrames

/// How to rotate and mirror a picture when it is shown, with Exif's numbers. The picture is first mirrored left to
/// right and then rotated.
public enum PhotoOrientation: UInt16, Hashable, Sendable, CaseIterable {
    /// Unchanged.
    case up = 1
    /// Mirrored.
    case upMirrored = 2
    /// Rotated by 180 degrees.
    case down = 3
    /// Mirrored and rotated by 180 degrees.
    case downMirrored = 4
    /// Mirrored and rotated counterclockwise by 90 degrees.
    case leftMirrored = 5
    /// Rotated clockwise by 90 degrees.
    case right = 6
    /// Mirrored and rotated clockwise by 90 degrees.
    case rightMirrored = 7
    /// Rotated counterclockwise by 90 degrees.
    case left = 8
}

extension PhotoOrientation {
    /// Whether the picture is mirrored before it is rotated.
    public var isMirrored: Bool { [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored].contains(self) }

    /// The rotation without the mirroring.
    public var turn: PhotoOrientation {
        switch self {
        case .up, .upMirrored: .up
        case .down, .downMirrored: .down
        case .left, .leftMirrored: .left
        case .right, .rightMirrored: .right
        }
    }

    /// The size of a picture when shown.
    public func shown(_ size: FrameSize) -> FrameSize {
        turn == .up || turn == .down ? size : FrameSize(width: size.height, height: size.width)
    }

    /// The pixel of a picture of `size` that is shown at (`x`, `y`).
    func pixel(shownAt x: Int, _ y: Int, of size: FrameSize) -> (x: Int, y: Int) {
        let (across, down) =
            switch turn {
            case .right: (y, size.height - 1 - x)
            case .left: (size.width - 1 - y, x)
            case .down: (size.width - 1 - x, size.height - 1 - y)
            default: (x, y)
            }
        return (isMirrored ? size.width - 1 - across : across, down)
    }
}

/// A picture's pixels in memory, for file formats whose readers do not rotate pictures.
struct TurnedPixels {
    private let bytes: [UInt8]
    private let size: FrameSize
    private let pixelBytes: Int
    private let orientation: PhotoOrientation

    /// Collects the rows that `fill` writes, with `pixelBytes` per pixel.
    init(
        _ orientation: PhotoOrientation, _ size: FrameSize, pixelBytes: Int,
        _ fill: (Int, UnsafeMutablePointer<UInt8>) -> Void
    ) {
        let rowBytes = size.width * pixelBytes
        self.orientation = orientation
        self.size = size
        self.pixelBytes = pixelBytes
        bytes = [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { bytes, count in
            for y in 0..<size.height { fill(y, bytes.baseAddress! + rowBytes * y) }
            count = rowBytes * size.height
        }
    }

    /// Writes a row as it is shown.
    func write(_ y: Int, to row: UnsafeMutablePointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            for x in 0..<orientation.shown(size).width {
                let (sourceX, sourceY) = orientation.pixel(shownAt: x, y, of: size)
                let source = pixelBytes * (sourceY * size.width + sourceX)
                for byte in 0..<pixelBytes { row[pixelBytes * x + byte] = bytes[source + byte] }
            }
        }
    }
}

extension PhotoOrientation: Codable {
    /// Decodes the name of the case. Throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value() }
    /// Encodes the name of the case.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: "\(self)") }
}
