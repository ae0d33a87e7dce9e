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

/// What is written into a photo's file beside the picture, as Exif and XMP.
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
    /// How the photo was made, as JSON: goes into the file as XMP.
    public var provenance: String?

    /// Nothing but an upright picture.
    public init() {}

    /// A JPEG picture as it came, with this in place of whatever Exif and, where there is provenance, XMP it has, all else
    /// kept. A picture without a whole header comes back as it is.
    public func inserted(intoJPEG jpeg: RawSpan, _ colorimetry: Colorimetry = .jpeg) -> [UInt8] {
        let size = JPEGStructure.check(jpeg).structure?.size
        let tagged = size.flatMap { size in
            var blocks: [(kind: MetadataSegment, bytes: [UInt8])] = [(.exif, exif(of: size, colorimetry))]
            // What is too long for a segment is longer than any account of a photo made here.
            if let xmp, xmp.count <= MetadataSegment.xmp.mostBytes { blocks.append((.xmp, xmp)) }
            return MetadataSegment.inserted(blocks, into: jpeg)
        }
        return tagged ?? jpeg.withUnsafeBytes { Array($0) }
    }
}

extension PhotoMetadata {
    /// The packet of XMP; nil where there is nothing to say in it.
    var xmp: [UInt8]? { provenance.map(XMPPacket.bytes) }
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
