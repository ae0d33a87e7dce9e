// SPDX-License-Identifier: MIT
// The metadata that a photo's file contains about how it was taken.

import LivecapFrames
import LivecapJPEG

/// The metadata written to a photo's file besides the picture, as Exif and XMP.
public struct PhotoMetadata: Hashable, Codable, Sendable {
    /// How the picture must be rotated when shown.
    public var orientation = PhotoOrientation.up
    /// The time of the frame whose moment the photo shows.
    public var time: CalendarTime?
    /// The program that made the photo.
    public var software: String?
    /// The camera's name.
    public var cameraModel: String?
    /// What the camera was set to by hand. Exif has the exposure time, and whether the white balance was set.
    public var manual: ManualSettings?
    /// By how much it is zoomed digitally; nil if it is not.
    public var digitalZoom: Double?
    /// Any other text for people to read.
    public var description: String?
    /// What the photo has in common with the movie of the moments around it, if that is another file: Apple's programs
    /// look for it. Exif has it in a maker note of Apple's form.
    public var contentIdentifier: String?
    /// How the photo was made, as JSON. Written as XMP.
    package var provenance: String?

    /// Creates metadata with nothing but an upright orientation.
    public init() {}

    /// A copy of a JPEG picture in which this metadata replaces any Exif and, if there is provenance, any XMP.
    /// Everything else is kept. A picture without a complete header is returned unchanged.
    package func inserted(intoJPEG jpeg: RawSpan, _ colorimetry: Colorimetry = .jpeg) -> [UInt8] {
        let size = JPEGStructure.check(jpeg).structure?.size
        let tagged = size.flatMap { size in
            var blocks: [(kind: MetadataSegment, bytes: [UInt8])] = [(.exif, exif(of: size, colorimetry))]
            // A packet too long for a segment cannot be the provenance of a photo made here.
            if let xmp, xmp.count <= MetadataSegment.xmp.maxBytes { blocks.append((.xmp, xmp)) }
            return MetadataSegment.inserted(blocks, into: jpeg)
        }
        return tagged ?? jpeg.withUnsafeBytes { Array($0) }
    }
}

extension PhotoMetadata {
    /// The XMP packet; nil if there is no provenance.
    var xmp: [UInt8]? { provenance.map { XMPPacket.bytes(provenance: $0) } }
}

extension Optional<PhotoMetadata> {
    /// The bytes of a JPEG file with this metadata, if any.
    func file(_ jpeg: [UInt8], _ colorimetry: Colorimetry) -> [UInt8] {
        self?.inserted(intoJPEG: jpeg.span.bytes, colorimetry) ?? jpeg
    }
}

extension Colorimetry {
    /// Whether transfer function and primaries are those of sRGB.
    var isSRGB: Bool { transfer == .sRGB && primaries == .bt709 }
}
