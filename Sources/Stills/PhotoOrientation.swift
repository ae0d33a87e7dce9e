// SPDX-License-Identifier: MIT
// How pictures are turned and mirrored.

import Frames

/// What is to be done with a picture's rows when it is shown, by Exif's numbers. What is mirrored, left to right, is
/// mirrored first and turned then.
public enum PhotoOrientation: UInt16, Hashable, Sendable, CaseIterable {
    /// As it is.
    case up = 1
    /// Mirrored.
    case upMirrored = 2
    /// Turned by a half.
    case down = 3
    /// Mirrored and turned by a half.
    case downMirrored = 4
    /// Mirrored and turned counterclockwise by a quarter.
    case leftMirrored = 5
    /// Turned clockwise by a quarter.
    case right = 6
    /// Mirrored and turned clockwise by a quarter.
    case rightMirrored = 7
    /// Turned counterclockwise by a quarter.
    case left = 8
}

extension PhotoOrientation {
    /// Whether the picture is mirrored before it is turned.
    public var isMirrored: Bool { [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored].contains(self) }

    /// What remains when the picture is mirrored already.
    public var turn: PhotoOrientation {
        switch self {
        case .up, .upMirrored: .up
        case .down, .downMirrored: .down
        case .left, .leftMirrored: .left
        case .right, .rightMirrored: .right
        }
    }

    /// A picture's size as it is shown.
    public func shown(_ size: FrameSize) -> FrameSize {
        turn == .up || turn == .down ? size : FrameSize(width: size.height, height: size.width)
    }

    /// Which pixel of a picture of `size` is shown at a place.
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

/// A picture's pixels in memory, for files whose readers do not turn pictures.
struct TurnedPixels {
    private let bytes: [UInt8]
    private let size: FrameSize
    private let pixelBytes: Int
    private let orientation: PhotoOrientation

    /// Takes the rows that `fill` gives, of `pixelBytes` a pixel.
    init(
        _ orientation: PhotoOrientation, _ size: FrameSize, pixelBytes: Int,
        _ fill: (Int, UnsafeMutablePointer<UInt8>) -> Void
    ) {
        let rowBytes = size.width * pixelBytes
        (self.orientation, self.size, self.pixelBytes) = (orientation, size, pixelBytes)
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
