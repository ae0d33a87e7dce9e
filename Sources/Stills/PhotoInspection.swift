// SPDX-License-Identifier: MIT
// Determines the kind and provenance of a picture file, whatever program wrote it. Accepts arbitrary bytes.

import LivecapFrames
import LivecapJPEG

/// The facts that a picture file reveals about itself.
package struct PhotoInspection: Hashable, Codable, Sendable {
    /// The file's format, determined from its bytes.
    package let format: StillFormat
    /// The picture's size; for JPEG, before readers rotate it. Nil if the file does not contain it.
    package let size: FrameSize?
    /// Whether the file is complete. A truncated file's metadata may be complete all the same.
    package let isWhole: Bool
    /// Its provenance, usually JSON; nil if it has none.
    package let provenance: String?
    /// Why size and provenance could not be read on this machine, which HEIC files without libheif have; else nil.
    package let lack: StillError?

    /// The maximum size of a provenance in bytes.
    private static let maxProvenance = 1 << 20

    /// Inspects a file's bytes; nil if they are not in one of the formats written here.
    package init?(_ file: [UInt8]) { self.init(file, heif: HEIFLibrary.usualName) }

    /// The same with a libheif of that file name.
    package init?(_ file: [UInt8], heif name: String) {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            let span = file.span.bytes
            format = .jpeg
            isWhole = JPEGStructure.hasEnd(span)
            lack = nil
            size = JPEGStructure.size(of: span)
            provenance = Self.provenance(in: MetadataSegment.xmp.block(of: span))
        } else if file.starts(with: PNGChunks.signature) {
            let chunks = PNGChunks(file)
            format = .png
            size = chunks.size
            provenance = Self.provenance(in: chunks.xmp)
            isWhole = chunks.hasEnd
            lack = nil
        } else if file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8), Self.brands.contains(Array(file[8..<12])) {
            let picture: HEIFReading?
            do throws(StillError) { (picture, lack) = (HEIFReading(try HEIFLibrary(name), file), nil) } catch {
                picture = nil
                lack = error
            }
            format = .heic
            size = picture?.size
            provenance = Self.provenance(in: picture?.xmp)
            isWhole = MediaBox.all(inFile: file)?.contains { $0.type == "mdat" } ?? false
        } else {
            return nil
        }
    }

    private static func provenance(in packet: [UInt8]?) -> String? {
        guard let packet, packet.count <= maxProvenance else { return nil }
        return XMPPacket.provenance(in: packet)
    }

    /// The brands of files with HEVC pictures.
    private static let brands = Set(["heic", "heix", "mif1", "msf1", "hevc", "hevx"].map { Array($0.utf8) })
}
