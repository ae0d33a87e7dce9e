// SPDX-License-Identifier: MIT
// The depth map of a JPEG file: Google's GDepth properties in XMP, with the map as a PNG file in its extended part.

import LivecapFrames
import LivecapJPEG

/// What a JPEG file's XMP says of a depth map.
///
/// Files written here lose nothing: the PNG file has 16 bits, and `Near` and `Far` are those of the samples 0 and
/// 65535, so that every sample is the number of counts that it was. The map has the rows of the picture as it is in the
/// file, and whatever turns the picture turns the map.
struct GDepth: Hashable, Sendable {
    /// How values become distances.
    enum Format: String, Hashable, Sendable {
        /// In even steps.
        case linear = "RangeLinear"
        /// In even steps of the inverse.
        case inverse = "RangeInverse"
    }

    let format: Format
    /// The distance of the value 0, in `units`.
    let near: Double
    /// The distance of the largest value, in `units`.
    let far: Double
    /// "m" or "mm"; anything else is no measure.
    let units: String
    /// The type of the picture that has the values.
    let mime: String
    /// The digest of the extended packet; nil if the file has none.
    let digest: String?
    /// What only files written here say.
    let notes: DepthNotes?

    /// Reads a packet; nil if it says nothing of depth. Accepts any bytes.
    init?(_ packet: [UInt8]) {
        func value(_ name: String) -> String? { XMPText.value("GDepth:" + name, in: packet) }
        guard let near = value("Near").flatMap(Double.init), let far = value("Far").flatMap(Double.init),
            near.isFinite, far.isFinite, near >= 0, far > near
        else { return nil }
        guard let format = Format(rawValue: value("Format") ?? Format.inverse.rawValue) else { return nil }
        self.format = format
        self.near = near
        self.far = far
        units = value("Units") ?? "m"
        mime = value("Mime") ?? "image/jpeg"
        digest = XMPText.value("xmpNote:HasExtendedXMP", in: packet)
        notes = DepthNotes(xmp: packet)
    }

    /// Metres per unit; nil if it is no measure.
    var metres: Double? {
        switch units.lowercased() {
        case "m": 1
        case "mm": 0.001
        default: nil
        }
    }

    /// The distance in metres of a value from 0 to 1; nil if the file does not say.
    func distance(_ value: Double) -> Double? {
        guard let metres else { return nil }
        switch format {
        case .linear: return (near + (far - near) * value) * metres
        case .inverse: return near > 0 ? far * near / (far - value * (far - near)) * metres : nil
        }
    }

    /// The PNG or JPEG file with the values; nil if it is not in the file as a whole.
    func picture(in file: [UInt8]) -> [UInt8]? {
        let span = file.span.bytes
        let name = "GDepth:Data"
        if let packet = MetadataSegment.xmp.block(of: span), let text = XMPText.bytes(name, in: packet) {
            return Base64.bytes(text)
        }
        guard let digest, let packet = ExtendedXMP.packet(digest, in: file) else { return nil }
        return XMPText.bytes(name, in: packet).flatMap { Base64.bytes($0) }
    }

    // MARK: Writing

    /// What the attributes begin with that are written here.
    private static let begin = " xmlns:GDepth=\"http://ns.google.com/photos/1.0/depthmap/\""

    /// The attributes of a packet written here, as they are; nil if it has none.
    static func attributes(in packet: [UInt8]) -> String? {
        guard let found = packet.firstRange(of: Array((begin + " xmlns:xmpNote=").utf8)),
            let end = packet[found.upperBound...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let text = packet[found.lowerBound..<end]
        // An element that ends at once has no room for properties, and was not written here.
        guard !text.contains(UInt8(ascii: "<")), text.last == UInt8(ascii: "\"") else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// A JPEG file with a depth map, which replaces the one that it has. What else it holds stays, a movie, too.
    static func added(_ depth: DepthMap, to jpeg: [UInt8]) throws(StillError) -> [UInt8] {
        let span = jpeg.span.bytes
        guard let size = JPEGStructure.size(of: span) else { throw .unencodable("the JPEG file has no header") }
        let data = Base64.text(try DepthPNG.plainFile(depth))
        let extended = ExtendedXMP(packet(data))
        let old = MetadataSegment.xmp.block(of: span)
        let main = XMPPacket.bytes(
            provenance: old.flatMap { XMPPacket.provenance(in: $0) },
            motion: old.flatMap { XMPPacket.motion(in: $0) },
            attributes: attributes(depth, of: size, extended.digest))
        guard main.count <= MetadataSegment.xmp.maxBytes else {
            throw .unencodable("there is no room for a depth map beside the provenance")
        }
        // Exif stays before XMP, as its standard wants.
        var blocks: [(kind: MetadataSegment, bytes: [UInt8])] = []
        if let exif = MetadataSegment.exif.block(of: span) { blocks.append((.exif, exif)) }
        blocks.append((.xmp, main))
        blocks += extended.parts.map { (.extendedXMP, $0) }
        guard let file = MetadataSegment.replaced([.exif, .xmp, .extendedXMP], by: blocks, in: span) else {
            throw .unencodable("the header of the JPEG file is not complete")
        }
        return file
    }

    private static func attributes(_ depth: DepthMap, of size: FrameSize, _ digest: String) -> String {
        let far = 65535 * depth.metresPerCount
        return begin + " xmlns:xmpNote=\"http://ns.adobe.com/xmp/note/\""
            + " GDepth:Format=\"\(Format.linear.rawValue)\" GDepth:Near=\"0\" GDepth:Far=\"\(far)\" GDepth:Units=\"m\""
            + " GDepth:MeasureType=\"OpticalAxis\" GDepth:Mime=\"image/png\""
            + " GDepth:ImageWidth=\"\(size.width)\" GDepth:ImageHeight=\"\(size.height)\""
            + " xmpNote:HasExtendedXMP=\"\(digest)\"" + DepthNotes(depth).attributes
    }

    private static func packet(_ data: [UInt8]) -> [UInt8] {
        let open =
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\"\(begin) GDepth:Data=\""
        return Array(open.utf8) + data + Array("\"/></rdf:RDF></x:xmpmeta>".utf8)
    }
}

// MARK: Reading

extension GDepth {
    /// Decodes the map of a file.
    func map(_ file: [UInt8]) throws(StillError) -> DepthMap {
        guard let picture = picture(in: file) else { throw .undecodable("its depth map is not complete") }
        guard mime == "image/png" || picture.starts(with: PNGChunks.signature) else {
            throw .undecodable("its depth map is in \(mime.prefix(40)), not in PNG")
        }
        let (size, samples) = try DepthPNG.samples(picture)
        if let notes, format == .linear, near == 0 {
            // Written here: samples are counts.
            return DepthMap(
                size: size, samples: samples, metresPerCount: notes.metresPerCount, reach: notes.reach,
                intrinsics: notes.intrinsics, isFiltered: notes.isFiltered)
        }
        guard let farthest = distance(1), distance(0) != nil, case let unit = farthest / 65535, unit > 0, unit.isFinite
        else { throw .undecodable("its depth map does not say how far its values are") }
        let table = (0...UInt16.max).map { DepthMap.sample((distance(Double($0) / 65535) ?? 0) / unit) }
        return DepthMap(size: size, samples: samples.map { table[Int($0)] }, metresPerCount: unit)
    }
}
