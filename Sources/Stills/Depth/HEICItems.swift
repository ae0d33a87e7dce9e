// SPDX-License-Identifier: MIT
// The items of a HEIC file and what they have in common: ISO/IEC 14496-12, 8.11, and 23008-12. Accepts any bytes.

/// What the `meta` box of a HEIC file says of its items.
struct HEICItems {
    /// An item: a picture, or metadata of one.
    struct Item: Hashable {
        var id: Int
        /// Four characters.
        var type: String
        /// Of metadata, its kind.
        var contentType = ""
    }
    /// Where the bytes of an item are.
    struct Location: Hashable {
        var item: Int
        /// 0 for places in the file, 1 for places in the box `idat`.
        var method: Int
        /// The number of the file that has the bytes; 0 for this one.
        var file: Int
        var extents: [Extent]
    }
    /// A part of an item's bytes.
    struct Extent: Hashable {
        var begin: Int
        var count: Int
    }
    /// From an item to others.
    struct Reference: Hashable {
        var type: String
        var from: Int
        var to: [Int]
    }
    /// A property that an item has, by its number from 1 on.
    struct Association: Hashable {
        var property: Int
        var isEssential: Bool
    }

    /// The `meta` box in the file.
    let meta: MediaBox
    /// The boxes in it.
    let boxes: [MediaBox]
    private(set) var primary = 0
    private(set) var items: [Item] = []
    var locations: [Location] = []
    private(set) var references: [Reference] = []
    /// All properties: whole boxes.
    private(set) var properties: [MediaBox] = []
    /// The properties of each item.
    var associations: [Int: [Association]] = [:]

    /// More than any photo has.
    private static let mostItems = 10_000

    /// Nil if the file has no `meta` box of a HEIC file, or one that contradicts itself.
    init?(_ file: [UInt8]) {
        guard let meta = MediaBox.all(inFile: file)?.first(where: { $0.type == "meta" }), meta.content.count >= 4,
            let boxes = MediaBox.all(in: file[meta.content.dropFirst(4)])
        else { return nil }
        self.meta = meta
        self.boxes = boxes
        for box in boxes {
            let isRead =
                switch box.type {
                case "pitm": readPrimary(BoxReader(file[box.content]))
                case "iinf": readItems(BoxReader(file[box.content]), file)
                case "iloc": readLocations(BoxReader(file[box.content]))
                case "iref": readReferences(BoxReader(file[box.content]), file)
                case "iprp": readProperties(file[box.content])
                default: true
                }
            guard isRead else { return nil }
        }
        guard items.contains(where: { $0.id == primary }) else { return nil }
    }

    /// The properties of an item that are of a type.
    func properties(of item: Int, _ type: String) -> [MediaBox] {
        (associations[item] ?? []).compactMap { association in
            let place = association.property - 1
            guard properties.indices.contains(place), properties[place].type == type else { return nil }
            return properties[place]
        }
    }

    /// The bytes of an item; nil if they are not all in the file.
    func bytes(of item: Int, in file: [UInt8], atMost limit: Int) -> [UInt8]? {
        guard let location = locations.first(where: { $0.item == item }), location.file == 0 else { return nil }
        let base: Range<Int>
        switch location.method {
        case 0: base = 0..<file.count
        case 1:
            guard let idat = boxes.first(where: { $0.type == "idat" }) else { return nil }
            base = idat.content
        default: return nil
        }
        var bytes: [UInt8] = []
        for extent in location.extents {
            guard extent.begin <= base.count, extent.count <= base.count - extent.begin,
                extent.count <= limit - bytes.count
            else { return nil }
            let begin = base.lowerBound + extent.begin
            // A count of 0 means all that is there, which nobody writes for a part of a file.
            guard extent.count > 0 else { return nil }
            bytes += file[begin..<begin + extent.count]
        }
        return bytes
    }

    // MARK: Reading

    private mutating func readPrimary(_ reader: BoxReader) -> Bool {
        var reader = reader
        guard let version = reader.version(), let id = reader.number(version == 0 ? 2 : 4) else { return false }
        primary = id
        return true
    }

    private mutating func readItems(_ reader: BoxReader, _ file: [UInt8]) -> Bool {
        var reader = reader
        guard let version = reader.version(), let count = reader.number(version == 0 ? 2 : 4),
            count <= Self.mostItems, let entries = MediaBox.all(in: file[reader.rest])
        else { return false }
        for entry in entries where entry.type == "infe" {
            var reader = BoxReader(file[entry.content])
            // Older versions have no types.
            guard let version = reader.version(), version == 2 || version == 3,
                let id = reader.number(version == 2 ? 2 : 4), reader.number(2) != nil, let type = reader.type()
            else { continue }
            var item = Item(id: id, type: type)
            if type == "mime", reader.text() != nil { item.contentType = reader.text() ?? "" }
            items.append(item)
        }
        return true
    }

    private mutating func readLocations(_ reader: BoxReader) -> Bool {
        var reader = reader
        guard let version = reader.version(), version <= 2, let sizes = reader.number(2),
            let count = reader.number(version < 2 ? 2 : 4), count <= Self.mostItems
        else { return false }
        let offsetBytes = sizes >> 12
        let lengthBytes = sizes >> 8 & 15
        let baseBytes = sizes >> 4 & 15
        let indexBytes = version == 0 ? 0 : sizes & 15
        guard [offsetBytes, lengthBytes, baseBytes, indexBytes].allSatisfy({ [0, 4, 8].contains($0) }) else {
            return false
        }
        for _ in 0..<count {
            guard let item = reader.number(version < 2 ? 2 : 4), let method = version == 0 ? 0 : reader.number(2),
                let file = reader.number(2), let base = reader.number(baseBytes), let parts = reader.number(2),
                // Extents that take no bytes of the file could be any number.
                parts <= (indexBytes + offsetBytes + lengthBytes > 0 ? Self.mostItems : 1)
            else { return false }
            var extents: [Extent] = []
            for _ in 0..<parts {
                guard reader.number(indexBytes) != nil, let offset = reader.number(offsetBytes),
                    let length = reader.number(lengthBytes)
                else { return false }
                // Neither is more than 2^48, so the sum is one that exists.
                extents.append(Extent(begin: base + offset, count: length))
            }
            locations.append(Location(item: item, method: method & 15, file: file, extents: extents))
        }
        return true
    }

    private mutating func readReferences(_ reader: BoxReader, _ file: [UInt8]) -> Bool {
        var reader = reader
        guard let version = reader.version(), let boxes = MediaBox.all(in: file[reader.rest]) else { return false }
        let idBytes = version == 0 ? 2 : 4
        for box in boxes {
            var reader = BoxReader(file[box.content])
            guard let from = reader.number(idBytes), let count = reader.number(2) else { return false }
            var to: [Int] = []
            for _ in 0..<count {
                guard let id = reader.number(idBytes) else { return false }
                to.append(id)
            }
            references.append(Reference(type: box.type, from: from, to: to))
        }
        return true
    }

    private mutating func readProperties(_ content: ArraySlice<UInt8>) -> Bool {
        guard let boxes = MediaBox.all(in: content) else { return false }
        for box in boxes {
            switch box.type {
            case "ipco":
                guard properties.isEmpty, let all = MediaBox.all(in: content[box.content]) else { return false }
                properties = all
            case "ipma": guard readAssociations(BoxReader(content[box.content])) else { return false }
            default: break
            }
        }
        return true
    }

    private mutating func readAssociations(_ reader: BoxReader) -> Bool {
        var reader = reader
        guard let word = reader.number(4), let count = reader.number(4), count <= Self.mostItems else { return false }
        let isWide = word & 1 != 0
        for _ in 0..<count {
            guard let item = reader.number(word >> 24 == 0 ? 2 : 4), let own = reader.number(1) else { return false }
            for _ in 0..<own {
                guard let value = reader.number(isWide ? 2 : 1) else { return false }
                let essential = isWide ? 0x8000 : 0x80
                associations[item, default: []].append(
                    Association(property: value & (essential - 1), isEssential: value & essential != 0))
            }
        }
        return true
    }
}

/// Numbers and texts of a box, one after the other.
private struct BoxReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// What has not been read.
    var rest: Range<Int> { place..<bytes.endIndex }

    /// A number of some bytes; 0 for none. Nil at the end, and for numbers that no file of ours has.
    mutating func number(_ count: Int) -> Int? {
        guard bytes.endIndex - place >= count else { return nil }
        let value = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        place += count
        return value < 1 << 48 ? Int(value) : nil
    }

    /// The version of a full box, whose flags are skipped.
    mutating func version() -> Int? { number(4).map { $0 >> 24 } }

    mutating func type() -> String? {
        guard bytes.endIndex - place >= 4 else { return nil }
        place += 4
        return String(decoding: bytes[place - 4..<place], as: UTF8.self)
    }

    /// A text up to its zero.
    mutating func text() -> String? {
        guard let end = bytes[place...].firstIndex(of: 0) else { return nil }
        let text = String(decoding: bytes[place..<end], as: UTF8.self)
        place = end + 1
        return text
    }
}
