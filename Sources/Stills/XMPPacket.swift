// SPDX-License-Identifier: MIT
// XMP: a photo's provenance, one property in our own namespace, and how a motion photo's file is divided.

import LivecapFrames

/// An XMP packet with a photo's provenance (JSON), and what the file of a motion photo holds.
enum XMPPacket {
    /// What a motion photo's file says of its movie.
    struct Motion: Hashable {
        /// The size of the movie at the file's end.
        let movieBytes: Int
        /// The still's moment since the movie's begin; nil if it is not said.
        let moment: Duration?
    }

    /// Identifies the vocabulary; nothing needs to exist at this URI.
    private static let namespace = "urn:livecap:provenance:1"

    /// The type of such packets in HEIC files.
    static let contentType = "application/rdf+xml"

    /// The packet for a provenance, and for a motion photo; `attributes` are others, with a space before each.
    static func bytes(provenance: String? = nil, motion: Motion? = nil, attributes more: String = "") -> [UInt8] {
        let begin = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
        let meta = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
        let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        let description = "<rdf:Description rdf:about=\"\" xmlns:livecap=\"\(namespace)\"\(attributes(motion))\(more)>"
        let end = "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        let property = provenance.map { opening + escaped($0) + closing } ?? []
        return Array((begin + meta + rdf + description).utf8) + property + Array((directory(motion) + end).utf8)
    }

    // MARK: Motion photos

    /// The properties of Motion Photo 1.0, and those of its predecessor MicroVideo, which older programs read.
    private static func attributes(_ motion: Motion?) -> String {
        guard let motion else { return "" }
        let moment = motion.moment.map { $0 / .microseconds(1) }.map { Int($0.rounded()) } ?? -1
        return """
             xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" \
            xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/" \
            GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1" \
            GCamera:MotionPhotoPresentationTimestampUs="\(moment)" \
            GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="\(motion.movieBytes)" \
            GCamera:MicroVideoPresentationTimestampUs="\(moment)"
            """
    }

    /// The parts of the file, in order.
    private static func directory(_ motion: Motion?) -> String {
        guard let motion else { return "" }
        func item(_ type: String, _ meaning: String, _ length: Int) -> String {
            """
            <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(type)" Item:Semantic="\(meaning)" \
            Item:Length="\(length)" Item:Padding="0"/></rdf:li>
            """
        }
        return "<Container:Directory><rdf:Seq>" + item("image/jpeg", "Primary", 0)
            + item("video/mp4", "MotionPhoto", motion.movieBytes) + "</rdf:Seq></Container:Directory>"
    }

    /// What a packet says of a movie, as written here or by phones; nil if it says nothing.
    static func motion(in packet: [UInt8]) -> Motion? {
        let text = String(decoding: packet, as: UTF8.self)
        let moment = number("GCamera:MotionPhotoPresentationTimestampUs", in: text[...])
        // The item of the movie has its meaning before its length, or after it.
        let item = text.components(between: "<Container:Item", and: ">").first { $0.contains("\"MotionPhoto\"") }
        guard
            let length = item.flatMap({ number("Item:Length", in: $0) })
                ?? number("GCamera:MicroVideoOffset", in: text[...])
        else { return nil }
        return Motion(movieBytes: length, moment: moment.flatMap { $0 < 0 ? nil : .microseconds($0) })
    }

    /// The number in an attribute.
    private static func number(_ name: String, in text: Substring) -> Int? {
        guard let begin = text.firstRange(of: name + "=\"")?.upperBound else { return nil }
        return text[begin...].firstIndex(of: "\"").flatMap { Int(text[begin..<$0]) }
    }

    // MARK: Provenance

    /// The provenance in a packet; nil if it has none, or not in the form written here.
    static func provenance(in packet: [UInt8]) -> String? {
        guard let start = packet.firstRange(of: opening),
            let end = packet[start.upperBound...].firstRange(of: closing),
            let text = unescaped(packet[start.upperBound..<end.lowerBound])
        else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    private static let opening = Array("<livecap:Provenance>".utf8)
    private static let closing = Array("</livecap:Provenance>".utf8)

    private static let entities: [(byte: UInt8, name: [UInt8])] = [
        (UInt8(ascii: "&"), Array("&amp;".utf8)), (UInt8(ascii: "<"), Array("&lt;".utf8)),
        (UInt8(ascii: ">"), Array("&gt;".utf8)),
    ]

    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte in entities.first { $0.byte == byte }?.name ?? [byte] }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        while let place = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<place]
            guard let entity = entities.first(where: { rest[place...].starts(with: $0.name) }) else { return nil }
            result.append(entity.byte)
            rest = rest[(place + entity.name.count)...]
        }
        return result + rest
    }
}

extension String {
    /// The texts between each `begin` and the next `end`.
    fileprivate func components(between begin: String, and end: String) -> [Substring] {
        ranges(of: begin).compactMap { range in
            self[range.upperBound...].firstRange(of: end).map { self[range.upperBound..<$0.lowerBound] }
        }
    }
}
