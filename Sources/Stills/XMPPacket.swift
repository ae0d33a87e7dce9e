// SPDX-License-Identifier: MIT
// Provenance as XMP: one property in our own namespace, in a packet that fits into any kind of file.

/// A photo's provenance (JSON) in an XMP packet.
enum XMPPacket {
    /// Identifies the vocabulary; nothing needs to exist at this URI.
    private static let namespace = "urn:livecap:provenance:1"

    /// The packet for a provenance.
    static func bytes(provenance: String) -> [UInt8] {
        let begin = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
        let meta = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
        let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        let description = "<rdf:Description rdf:about=\"\" xmlns:livecap=\"\(namespace)\">"
        let end = "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        return Array((begin + meta + rdf + description).utf8) + opening + escaped(provenance) + closing
            + Array(end.utf8)
    }

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
