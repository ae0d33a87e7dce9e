// SPDX-License-Identifier: MIT
// Adds items to a finished HEIC file: its `meta` box is written anew, and their bytes follow in a box of their own.

/// An item to add to a HEIC file.
struct HEICGraft {
    /// Four characters.
    var type: String
    /// Of metadata, its kind.
    var contentType: String?
    var isHidden = false
    /// The item's bytes.
    var bytes: [UInt8]
    /// Its properties, as whole boxes.
    var properties: [(box: [UInt8], isEssential: Bool)] = []
    /// How it refers to another item, which is the primary one, or one of those that are added, by its place among
    /// them.
    var reference: (type: String, toAdded: Int?)

    /// A file with more items; nil if there is no room in its numbers, or if it has parts that would be lost.
    static func added(_ grafts: [HEICGraft], to file: [UInt8]) -> [UInt8]? {
        guard let all = MediaBox.all(inFile: file), let old = HEICItems(file) else { return nil }
        let needed = ["pitm", "iinf", "iloc", "iprp"]
        guard needed.allSatisfy({ type in old.boxes.count { $0.type == type } == 1 }) else { return nil }
        guard old.boxes.count(where: { $0.type == "iref" }) <= 1 else { return nil }
        // Films have places of their own, which are not moved here.
        guard !all.contains(where: { ["moov", "moof"].contains($0.type) }) else { return nil }
        // A movie of a motion photo stays the last box.
        let end = all.first { $0.type == "mpvd" }?.whole.lowerBound ?? file.count
        guard end >= old.meta.whole.upperBound, old.locations.allSatisfy({ isMovable($0, old.meta, before: end) })
        else { return nil }
        let data = MediaBox.box("mdat", grafts.flatMap(\.bytes))
        // The size of the box does not depend on what it says.
        guard let size = meta(file, old, grafts, growth: 0, dataBegin: 0)?.count else { return nil }
        let growth = size - old.meta.whole.count
        guard file.count + growth + data.count < 1 << 31,
            let meta = meta(
                file, old, grafts, growth: growth, dataBegin: end + growth + data.count - grafts.bytesCount),
            meta.count == size
        else { return nil }
        let whole =
            Array(file[..<old.meta.whole.lowerBound]) + meta + file[old.meta.whole.upperBound..<end] + data
            + file[end...]
        // A box that extends to the end of another one would hide what follows it.
        guard let new = HEICItems(whole), new.items.count == old.items.count + grafts.count,
            new.references.count == old.references.count + grafts.count,
            new.properties.count == old.properties.count + grafts.reduce(0, { $0 + $1.properties.count })
        else { return nil }
        return whole
    }

    /// Whether the bytes of an item are known, and moved as a whole if at all.
    private static func isMovable(_ location: HEICItems.Location, _ meta: MediaBox, before end: Int) -> Bool {
        guard location.method == 0, location.file == 0 else { return true }
        return location.extents.allSatisfy { extent in
            let last = extent.begin + extent.count
            let isBefore = last <= meta.whole.lowerBound
            return extent.count > 0 && last <= end && (isBefore || extent.begin >= meta.whole.upperBound)
        }
    }

    /// The new `meta` box, for a file in which everything after it moves by `growth`, and bytes begin at `dataBegin`.
    private static func meta(
        _ file: [UInt8], _ old: HEICItems, _ grafts: [HEICGraft], growth: Int, dataBegin: Int
    ) -> [UInt8]? {
        let ids = old.items.map(\.id) + old.locations.map(\.item) + Array(old.associations.keys)
        let first = (ids.max() ?? 0) + 1
        guard first + grafts.count <= 0xFFFF else { return nil }
        var content = Array(file[old.meta.content.prefix(4)])
        for box in old.boxes {
            switch box.type {
            case "iinf": content += infos(file, box, grafts, from: first)
            case "iloc":
                guard let box = locations(old, grafts, first, growth: growth, dataBegin: dataBegin) else { return nil }
                content += box
            case "iref": content += references(Array(file[box.content]), of: old.primary, grafts, from: first)
            case "iprp":
                guard let box = properties(file, box, of: old, grafts, from: first) else { return nil }
                content += box
            default: content += file[box.whole]
            }
        }
        if !old.boxes.contains(where: { $0.type == "iref" }) {
            content += references([0, 0, 0, 0], of: old.primary, grafts, from: first)
        }
        return MediaBox.box("meta", content)
    }

    private static func infos(_ file: [UInt8], _ box: MediaBox, _ grafts: [HEICGraft], from first: Int) -> [UInt8] {
        let isShort = file[box.content.lowerBound] == 0
        let head = box.content.prefix(isShort ? 6 : 8)
        let count = file[head.dropFirst(4)].reduce(0) { $0 << 8 | Int($1) } + grafts.count
        let entries = grafts.enumerated().flatMap { place, graft -> [UInt8] in
            let named = number(first + place, 2) + number(0, 2) + Array(graft.type.utf8) + [0]
            let kind: [UInt8] = graft.contentType.map { Array($0.utf8) + [0] } ?? []
            return MediaBox.box("infe", [2, 0, 0, graft.isHidden ? 1 : 0] + named + kind)
        }
        let begin = Array(file[head.prefix(4)]) + number(count, isShort ? 2 : 4)
        return MediaBox.box("iinf", begin + file[head.upperBound..<box.content.upperBound] + entries)
    }

    private static func locations(
        _ old: HEICItems, _ grafts: [HEICGraft], _ first: Int, growth: Int, dataBegin: Int
    ) -> [UInt8]? {
        var all = old.locations
        for place in all.indices where all[place].method == 0 && all[place].file == 0 {
            for part in all[place].extents.indices where all[place].extents[part].begin >= old.meta.whole.upperBound {
                all[place].extents[part].begin += growth
            }
        }
        var begin = dataBegin
        for (place, graft) in grafts.enumerated() {
            let extent = HEICItems.Extent(begin: begin, count: graft.bytes.count)
            all.append(HEICItems.Location(item: first + place, method: 0, file: 0, extents: [extent]))
            begin += graft.bytes.count
        }
        // Places within other items have numbers of their own, which are not kept here.
        guard all.allSatisfy({ $0.method < 2 && $0.item <= 0xFFFF }) else { return nil }
        let isPlain = all.allSatisfy { $0.method == 0 }
        // Places and counts of four bytes, none before them all.
        var content: [UInt8] = [isPlain ? 0 : 1, 0, 0, 0, 0x44, 0] + number(all.count, 2)
        for location in all {
            content += number(location.item, 2)
            if !isPlain { content += number(location.method, 2) }
            content += number(location.file, 2) + number(location.extents.count, 2)
            for extent in location.extents {
                guard extent.begin <= UInt32.max, extent.count <= UInt32.max else { return nil }
                content += number(extent.begin, 4) + number(extent.count, 4)
            }
        }
        return MediaBox.box("iloc", content)
    }

    /// `content`: that of the box that is there, or an empty one.
    private static func references(
        _ content: [UInt8], of primary: Int, _ grafts: [HEICGraft], from first: Int
    ) -> [UInt8] {
        let bytes = content[0] == 0 ? 2 : 4
        let added = grafts.enumerated().flatMap { place, graft in
            let target = graft.reference.toAdded.map { first + $0 } ?? primary
            return MediaBox.box(
                graft.reference.type, number(first + place, bytes) + number(1, 2) + number(target, bytes))
        }
        return MediaBox.box("iref", content + added)
    }

    private static func properties(
        _ file: [UInt8], _ box: MediaBox, of old: HEICItems, _ grafts: [HEICGraft], from first: Int
    ) -> [UInt8]? {
        guard let boxes = MediaBox.all(in: file[box.content]),
            let container = boxes.first(where: { $0.type == "ipco" })
        else { return nil }
        var associations = old.associations
        var count = old.properties.count
        var added: [UInt8] = []
        for (place, graft) in grafts.enumerated() where !graft.properties.isEmpty {
            for property in graft.properties {
                count += 1
                added += property.box
                associations[first + place, default: []].append(
                    HEICItems.Association(property: count, isEssential: property.isEssential))
            }
        }
        guard count < 0x7FFF, associations.values.allSatisfy({ $0.count < 256 }) else { return nil }
        let isWide = count > 127 || associations.values.contains { $0.contains { $0.property > 127 } }
        var content: [UInt8] = [0, 0, 0, isWide ? 1 : 0] + number(associations.count, 4)
        for (item, own) in associations.sorted(by: { $0.key < $1.key }) {
            guard item <= 0xFFFF else { return nil }
            content += number(item, 2) + [UInt8(own.count)]
            for one in own {
                let essential = isWide ? 0x8000 : 0x80
                content += number(one.property | (one.isEssential ? essential : 0), isWide ? 2 : 1)
            }
        }
        let others = boxes.filter { $0.type != "ipco" && $0.type != "ipma" }.flatMap { file[$0.whole] }
        let all = MediaBox.box("ipco", Array(file[container.content]) + added)
        return MediaBox.box("iprp", all + MediaBox.box("ipma", content) + others)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension [HEICGraft] {
    fileprivate var bytesCount: Int { reduce(0) { $0 + $1.bytes.count } }
}

extension MediaBox {
    /// A whole box.
    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { header(type, content.count) + content }
}
