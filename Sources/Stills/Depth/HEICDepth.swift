// SPDX-License-Identifier: MIT
// The depth map of a HEIC file: an auxiliary picture, hidden, with the distances that its codes stand for.

import LivecapCStills
import LivecapFrames

/// The auxiliary depth picture of a HEIC file, as ISO/IEC 23008-12 has it.
///
/// It is encoded without loss, so its only error is that of its codes (`DepthCodes`). Unit, lens and filtering are in
/// an XMP packet of its own. Files of other programs are read as far as they say what their codes mean.
struct HEICDepth: Hashable, Sendable {
    /// The number of its item.
    let item: Int
    /// The size as shown.
    let size: FrameSize
    /// Bits per code; nil if the file does not say.
    let bits: Int?
    /// What its codes mean; nil if the file does not say.
    let representation: DepthRepresentation?
    /// What only files written here say.
    let notes: DepthNotes?

    /// The names of depth pictures: that of HEVC, which is usual, and a general one.
    private static let names = ["urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"]

    /// Finds the depth picture of the main one; nil if there is none. Needs no libheif.
    init?(_ file: [UInt8]) {
        guard let all = HEICItems(file) else { return nil }
        let candidates = all.references.filter { $0.type == "auxl" && $0.to.contains(all.primary) }.map(\.from)
        var found: (item: Int, message: ArraySlice<UInt8>)?
        for item in candidates where found == nil {
            for property in all.properties(of: item, "auxC") {
                // After version and flags.
                let text = file[property.content.dropFirst(4)]
                guard let end = text.firstIndex(of: 0) else { continue }
                if Self.names.contains(String(decoding: text[..<end], as: UTF8.self)) {
                    found = (item, text[(end + 1)...])
                }
            }
        }
        guard let found, let size = Self.size(of: found.item, all, file) else { return nil }
        item = found.item
        self.size = size
        bits = all.properties(of: found.item, "pixi").first.flatMap { property in
            property.content.count >= 6 ? Int(file[property.content.lowerBound + 5]) : nil
        }
        representation = DepthRepresentation(found.message)
        let packets = all.references.filter { $0.type == "cdsc" && $0.to.contains(found.item) }.map(\.from)
        notes =
            packets.lazy.compactMap { packet in
                all.items.first { $0.id == packet && $0.contentType == XMPPacket.contentType }
            }.compactMap { all.bytes(of: $0.id, in: file, atMost: 1 << 16) }.compactMap { DepthNotes(xmp: $0) }.first
    }

    private static func size(of item: Int, _ all: HEICItems, _ file: [UInt8]) -> FrameSize? {
        func word(_ content: Range<Int>, _ place: Int) -> Int {
            file[content.lowerBound + place..<content.lowerBound + place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        guard let whole = all.properties(of: item, "ispe").first?.content, whole.count >= 12 else { return nil }
        var size = FrameSize(width: word(whole, 4), height: word(whole, 8))
        if let part = all.properties(of: item, "clap").first?.content, part.count >= 16, word(part, 4) > 0,
            word(part, 12) > 0
        {
            size = FrameSize(width: word(part, 0) / word(part, 4), height: word(part, 8) / word(part, 12))
        }
        return size
    }

    // MARK: Writing

    /// A finished file with a depth map, which is turned as the picture already is.
    static func added(_ depth: DepthMap, to file: [UInt8], bits: HEICEncoder.Depth) throws(StillError) -> [UInt8] {
        guard HEICDepth(file) == nil else { throw .unencodable("the picture has a depth map already") }
        let codes = DepthCodes(depth, bits: bits.rawValue)
        let coding = codes.coding(depth.metresPerCount)
        let size = paddedSize(depth.size)
        let coded = try picture(depth, codes, size)
        guard let own = HEICItems(coded), let bytes = own.bytes(of: own.primary, in: coded, atMost: coded.count),
            own.items.first(where: { $0.id == own.primary })?.type == "hvc1"
        else { throw .unencodable("libheif wrote the depth map in a form that is not known") }
        var properties: [(box: [UInt8], isEssential: Bool)] = []
        for association in own.associations[own.primary] ?? [] where association.property > 0 {
            guard own.properties.indices.contains(association.property - 1) else { continue }
            let box = own.properties[association.property - 1]
            properties.append((Array(coded[box.whole]), association.isEssential))
        }
        let meaning = DepthRepresentation(kind: .linear, near: coding.lowerBound, far: coding.upperBound)
        let name = [0, 0, 0, 0] + Array(names[0].utf8) + [0]
        properties.append((MediaBox.box("auxC", name + meaning.bytes), true))
        if size != depth.size { properties.append((part(depth.size, of: size), true)) }
        var notes = DepthNotes(depth)
        notes.coding = coding
        let grafts = [
            HEICGraft(
                type: "hvc1", isHidden: true, bytes: bytes, properties: properties, reference: ("auxl", nil)),
            HEICGraft(
                type: "mime", contentType: XMPPacket.contentType, bytes: XMPPacket.bytes(attributes: notes.attributes),
                reference: ("cdsc", 0)),
        ]
        guard let whole = HEICGraft.added(grafts, to: file) else {
            throw .unencodable("there is no room for a depth map in the HEIC file")
        }
        return whole
    }

    /// libheif writes other sizes in tiles, which not every reader joins.
    private static func paddedSize(_ size: FrameSize) -> FrameSize {
        func padded(_ side: Int) -> Int { max(64, side + side % 2) }
        return FrameSize(width: padded(size.width), height: padded(size.height))
    }

    /// A file with the codes alone, without loss. What is beyond the map repeats its last codes.
    private static func picture(_ depth: DepthMap, _ codes: DepthCodes, _ size: FrameSize) throws(StillError) -> [UInt8]
    {
        let library = try HEIFLibrary()
        let image = try HEIFImage(library, size, space: lc_heif_space_grey, chroma: lc_heif_chroma_none)
        try image.fill(lc_heif_channel_y, size, bits: codes.bits) { y, row in
            let begin = min(y, depth.size.height - 1) * depth.size.width
            for x in 0..<size.width {
                let code = codes.code(depth.samples[begin + min(x, depth.size.width - 1)])
                if codes.bits == 8 {
                    row.storeBytes(of: UInt8(truncatingIfNeeded: code), toByteOffset: x, as: UInt8.self)
                } else {
                    row.storeBytes(of: code, toByteOffset: 2 * x, as: UInt16.self)
                }
            }
        }
        try image.describe(CodePoints(primaries: nil, transfer: nil, matrix: 2, isFullRange: true))
        return try HEIFWriting(library, quality: 100, isLossless: true).file(image, exif: nil, xmp: nil)
    }

    /// The property of a picture of which only the top left part counts.
    private static func part(_ size: FrameSize, of whole: FrameSize) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        let sides = word(size.width) + word(1) + word(size.height) + word(1)
        // How far its middle is from that of the whole.
        let middle = word(size.width - whole.width) + word(2) + word(size.height - whole.height) + word(2)
        return MediaBox.box("clap", sides + middle)
    }
}

// MARK: Reading

extension HEICDepth {
    /// Decodes the map.
    func map(_ file: [UInt8], heif name: String) throws(StillError) -> DepthMap {
        guard max(size.width, size.height) <= DecodedPicture.longestSide, min(size.width, size.height) > 0 else {
            throw .undecodable("a depth map of \(size) is impossible")
        }
        let picture = try HEIFPicture(try HEIFLibrary(name), file)
        let (codes, bits) = try picture.depthCodes(item, size)
        let largest = 1 << bits - 1
        if let notes, let coding = notes.coding {
            // Written here.
            let farthest = coding.upperBound / notes.metresPerCount
            let step = (coding.upperBound - coding.lowerBound) / notes.metresPerCount / Double(largest)
            return DepthMap(
                size: size,
                samples: codes.map { code in
                    code == 0 ? DepthMap.unknown : DepthMap.sample(farthest - Double(code) * step)
                }, metresPerCount: notes.metresPerCount, reach: notes.reach, intrinsics: notes.intrinsics,
                isFiltered: notes.isFiltered)
        }
        guard let representation, representation.distance(0, largest: largest) != nil, let far = representation.far
        else { throw .undecodable("its depth map does not say how far its values are") }
        // The file does not say which values are unknown, so none is.
        let unit = far / Double(UInt16.max)
        guard unit > 0, unit.isFinite else { throw .undecodable("its depth map does not say how far its values are") }
        let samples = (0...largest).map { code in
            DepthMap.sample((representation.distance(code, largest: largest) ?? 0) / unit)
        }
        return DepthMap(size: size, samples: codes.map { samples[min(Int($0), largest)] }, metresPerCount: unit)
    }
}

extension DepthMap {
    /// The sample nearest to a distance in counts, never that of a hole. What is no number is the nearest.
    static func sample(_ counts: Double) -> UInt16 { counts >= 1 ? UInt16(min(counts.rounded(), 65535)) : 1 }
}

extension HEIFPicture {
    /// The codes of a depth picture of this one, and their bits.
    fileprivate func depthCodes(_ item: Int, _ size: FrameSize) throws(StillError) -> (codes: [UInt16], bits: Int) {
        let heif = library.functions
        var ids = [UInt32](repeating: 0, count: Int(max(heif.image_handle_get_number_of_depth_images(handle), 0)))
        let count = heif.image_handle_get_list_of_depth_image_IDs(handle, &ids, Int32(ids.count))
        guard ids.prefix(Int(count)).contains(UInt32(clamping: item)) else {
            throw .undecodable("libheif does not find its depth map")
        }
        var own: OpaquePointer?
        try library.checkReading(heif.image_handle_get_depth_image_handle(handle, UInt32(item), &own))
        guard let own else { throw .noMemory }
        defer { heif.image_handle_release(own) }
        var image: OpaquePointer?
        // Those of phones have chroma, which says nothing.
        if heif.decode_image(own, &image, lc_heif_space_grey, lc_heif_chroma_none, nil).code != lc_heif_ok {
            try library.checkReading(heif.decode_image(own, &image, lc_heif_space_ycbcr, lc_heif_chroma_420, nil))
        }
        guard let image else { throw .noMemory }
        defer { heif.image_release(image) }
        let bits = Int(heif.image_get_bits_per_pixel_range(image, lc_heif_channel_y))
        guard (8...16).contains(bits) else { throw .undecodable("its depth map has an unusual number of bits") }
        let plane = try library.plane(lc_heif_channel_y, of: image, size, bytes: bits > 8 ? 2 : 1)
        var codes: [UInt16] = []
        codes.reserveCapacity(size.area)
        for y in 0..<size.height {
            let row = UnsafeRawPointer(plane.start + y * plane.stride)
            for x in 0..<size.width {
                codes.append(
                    bits == 8
                        ? UInt16(row.load(fromByteOffset: x, as: UInt8.self))
                        : row.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self))
            }
        }
        return (codes, bits)
    }
}
