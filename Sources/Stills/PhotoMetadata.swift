// SPDX-License-Identifier: MIT
// What a photo's file tells of its taking.

import Frames
import JPEG

/// A moment by the wall clock where the photo was taken.
public struct PhotoTime: Hashable, Sendable {
    /// Since 1970 began in UTC, leap seconds not counted.
    public var sinceEpoch: TimeSpan
    /// How far the local clock was ahead of UTC; negative west of Greenwich.
    public var aheadOfUTC: TimeSpan

    /// A moment, and the local clock's lead at that moment.
    public init(sinceEpoch: TimeSpan, aheadOfUTC: TimeSpan) {
        (self.sinceEpoch, self.aheadOfUTC) = (sinceEpoch, aheadOfUTC)
    }
}

/// What is written into a photo's file beside the picture: as Exif, in JPEG and PNG alike.
public struct PhotoMetadata: Hashable, Sendable {
    /// How the picture is to be turned when it is shown.
    public var orientation = PhotoOrientation.up
    /// When the frame was taken whose moment the photo shows.
    public var time: PhotoTime?
    /// The program that made the photo.
    public var software: String?
    /// What the camera is called.
    public var cameraModel: String?
    /// How long the frame was exposed.
    public var exposureTime: TimeSpan?
    /// Anything else people should read.
    public var description: String?

    /// Nothing but an upright picture.
    public init() {}

    /// A JPEG picture as it came, with this in place of whatever Exif block it has, all else kept. A picture without a
    /// whole header comes back as it is.
    public func inserted(intoJPEG jpeg: RawSpan, _ colorimetry: Colorimetry = .jpeg) -> [UInt8] {
        let size = JPEGStructure.check(jpeg).structure?.size
        let tagged = size.flatMap { ExifSegment.inserted(exif(of: $0, colorimetry), into: jpeg) }
        return tagged ?? jpeg.withUnsafeBytes { Array($0) }
    }
}

extension Optional<PhotoMetadata> {
    /// The bytes of a JPEG file.
    func file(_ jpeg: [UInt8], _ colorimetry: Colorimetry) -> [UInt8] {
        self?.inserted(intoJPEG: jpeg.span.bytes, colorimetry) ?? jpeg
    }
}

extension Colorimetry {
    /// Whether the light is that of sRGB.
    var isSRGB: Bool { transfer == .sRGB && primaries == .bt709 }
}
