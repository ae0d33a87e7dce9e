// SPDX-License-Identifier: MIT
// The index of an MP4 file, made of what its fragments say: ISO/IEC 14496-12, 8.2 to 8.9.

import LivecapStills

/// Makes what comes before the media in an MP4 file with its index first.
package struct MovieIndexTables {
    private let movie: FragmentedMovie
    /// Ticks per second of the file itself.
    private let scale: UInt64

    /// Of a file in fragments.
    package init(_ movie: FragmentedMovie) throws(MovieIndexGap) {
        self.movie = movie
        let header = movie.header
        guard let box = try boxes(in: header[...]).first(where: { $0.type == "mvhd" }) else {
            throw .unreadable("it has no header")
        }
        scale = try Self.scale(header[box.content])
    }

    /// Everything before the bytes of the media.
    package func head() throws(MovieIndexGap) -> [UInt8] {
        let kind = Self.kind
        // As large as with any other place: places have the same length everywhere.
        let usesLongPlaces = movie.mediaBytes > Int(UInt32.max) - (1 << 28)
        let draft = try index(mediaAt: 0, usesLongPlaces)
        // A header of 16 bytes is allowed for small boxes, too, and suits all.
        let place = kind.count + draft.count + 16
        var head = kind + (try index(mediaAt: place, usesLongPlaces))
        head.append(1, bytes: 4)
        head += Array("mdat".utf8)
        head.append(UInt64(movie.mediaBytes + 16), bytes: 8)
        return head
    }

    /// Which readers understand the file: it needs nothing that is specific to fragments.
    private static var kind: [UInt8] {
        var content = Array("isom".utf8)
        content.append(word: 0x200)
        return .box("ftyp", content + Array("isomiso2mp41".utf8))
    }

    private func index(mediaAt place: Int, _ usesLongPlaces: Bool) throws(MovieIndexGap) -> [UInt8] {
        let header = movie.header
        var length: UInt64 = 0
        var content: [UInt8] = []
        var first: [UInt8] = []
        var seen: Set<UInt32> = []
        for box in try boxes(in: header[...]) {
            switch box.type {
            case "mvex": break
            case "mvhd": first = Array(header[box.content])
            case "trak":
                let track = try track(header[box.content], mediaAt: place, usesLongPlaces)
                // Two with the same number would have the same samples twice.
                guard seen.insert(track.id).inserted else { throw .unreadable("two tracks have the same number") }
                content += track.box
                length = max(length, track.length)
            case "udta": content += .box("udta", try Self.withoutRoom(header[box.content]))
            default: content += header[box.whole]
            }
        }
        return .box("moov", .box("mvhd", try Self.timed(first[...], middle: 4, length)) + content)
    }

    /// Texts and chapters, without what was left free for more of them.
    private static func withoutRoom(_ texts: ArraySlice<UInt8>) throws(MovieIndexGap) -> [UInt8] {
        var kept: [UInt8] = []
        for box in try boxes(in: texts) where box.type != "free" { kept += texts[box.whole] }
        return kept
    }

    // MARK: A track

    /// A track, its number, and how long it is seen, in the file's ticks.
    private func track(
        _ content: ArraySlice<UInt8>, mediaAt place: Int, _ usesLongPlaces: Bool
    ) throws(MovieIndexGap) -> (box: [UInt8], id: UInt32, length: UInt64) {
        let parts = try boxes(in: content)
        guard let head = parts.first(where: { $0.type == "tkhd" }),
            let media = parts.first(where: { $0.type == "mdia" })
        else { throw .unreadable("a track has no header") }
        var fields = BoxFields(content[head.content])
        let (version, _) = try fields.versionAndFlags()
        try fields.skip(version == 1 ? 16 : 8)
        let id = try fields.word()
        guard let samples = movie.tracks.first(where: { $0.id == id }) else {
            throw .unreadable("a track has no fragments")
        }
        let ownScale = try Self.scale(ofMedia: content[media.content])
        let edits = try edits(
            parts.first { $0.type == "edts" }.map { content[$0.content] }, of: samples, scale: ownScale)
        var made = [UInt8].box("tkhd", try Self.timed(content[head.content], middle: 8, edits.length)) + edits.box
        for part in parts where part.type != "tkhd" && part.type != "edts" {
            made +=
                part.whole == media.whole
                ? .box("mdia", try self.media(content[part.content], samples, mediaAt: place, usesLongPlaces))
                : Array(content[part.whole])
        }
        return (.box("trak", made), id, edits.length)
    }

    /// The content of a track's box `mdia`. What it has once is made once, however often a damaged file repeats it.
    private func media(
        _ content: ArraySlice<UInt8>, _ samples: FragmentedTrack, mediaAt place: Int, _ usesLongPlaces: Bool
    ) throws(MovieIndexGap) -> [UInt8] {
        var made: [UInt8] = []
        var isMade = false
        for box in try boxes(in: content) {
            switch box.type {
            case "mdhd": made += .box("mdhd", try Self.timed(content[box.content], middle: 4, samples.length))
            case "minf" where !isMade:
                isMade = true
                made += .box("minf", try handling(content[box.content], samples, mediaAt: place, usesLongPlaces))
            default: made += content[box.whole]
            }
        }
        return made
    }

    /// The content of a track's box `minf`, with the tables of its samples.
    private func handling(
        _ content: ArraySlice<UInt8>, _ samples: FragmentedTrack, mediaAt place: Int, _ usesLongPlaces: Bool
    ) throws(MovieIndexGap) -> [UInt8] {
        var made: [UInt8] = []
        var isMade = false
        for box in try boxes(in: content) {
            guard box.type == "stbl", !isMade else {
                made += content[box.whole]
                continue
            }
            isMade = true
            guard let kinds = try boxes(in: content[box.content]).first(where: { $0.type == "stsd" }) else {
                throw .unreadable("a track does not say what it is")
            }
            made += .box("stbl", content[kinds.whole] + samples.tables(mediaAt: place, usesLongPlaces))
        }
        return made
    }

    /// Which part of a track is seen when, in a box of its own if it is not simply all of it; and how long that is, in
    /// the file's ticks. In fragments, a part of length 0 goes on to the end.
    private func edits(
        _ content: ArraySlice<UInt8>?, of samples: FragmentedTrack, scale ownScale: UInt64
    ) throws(MovieIndexGap) -> (box: [UInt8], length: UInt64) {
        func ownTicks(_ ticks: UInt64) throws(MovieIndexGap) -> UInt64 {
            let (product, isTooLong) = ticks.multipliedReportingOverflow(by: scale)
            guard !isTooLong, product < UInt64(Int64.max) else { throw .unreadable("a time is too large") }
            return (product + ownScale - 1) / ownScale
        }
        guard let content, let list = try boxes(in: content).first(where: { $0.type == "elst" }) else {
            guard samples.begin > 0 else { return ([], try ownTicks(samples.length)) }
            // It begins later.
            let entries = [
                Edit(length: try ownTicks(samples.begin), begin: -1),
                Edit(length: try ownTicks(samples.length), begin: 0),
            ]
            return (Edit.box(entries), try Edit.length(of: entries))
        }
        var fields = BoxFields(content[list.content])
        let (version, _) = try fields.versionAndFlags()
        var entries: [Edit] = []
        for _ in 0..<min(try fields.word(), 16) {
            var length = try fields.number(version == 1 ? 8 : 4)
            let begin =
                version == 1 ? Int64(bitPattern: try fields.number(8)) : Int64(Int32(bitPattern: try fields.word()))
            try fields.skip(4)
            // Times in an index are counted from the first sample.
            guard begin < 0 || samples.begin == 0 else { throw .unreadable("a track begins late") }
            if begin >= 0, length == 0 {
                length = try ownTicks(samples.length - min(samples.length, UInt64(begin)))
            }
            entries.append(Edit(length: length, begin: begin))
        }
        return (Edit.box(entries), try Edit.length(of: entries))
    }

    /// A part of a track that is seen, or a time before it.
    private struct Edit {
        /// In the file's ticks.
        var length: UInt64
        /// In the track's ticks; -1 for nothing.
        var begin: Int64

        static func length(of edits: [Edit]) throws(MovieIndexGap) -> UInt64 {
            var length: UInt64 = 0
            for edit in edits {
                let (sum, isTooLong) = length.addingReportingOverflow(edit.length)
                guard !isTooLong else { throw .unreadable("a time is too large") }
                length = sum
            }
            return length
        }

        static func box(_ edits: [Edit]) -> [UInt8] {
            var content: [UInt8] = []
            content.append(word: 1 << 24)
            content.append(word: UInt32(edits.count))
            for edit in edits {
                content.append(edit.length, bytes: 8)
                content.append(UInt64(bitPattern: edit.begin), bytes: 8)
                // At its usual speed.
                content.append(word: 1 << 16)
            }
            return .box("edts", .box("elst", content))
        }
    }

    // MARK: Lengths

    /// Ticks per second, of a box `mvhd` or `mdhd`.
    private static func scale(_ content: ArraySlice<UInt8>) throws(MovieIndexGap) -> UInt64 {
        var fields = BoxFields(content)
        let (version, _) = try fields.versionAndFlags()
        try fields.skip(version == 1 ? 16 : 8)
        let scale = UInt64(try fields.word())
        guard scale > 0 else { throw .unreadable("a track has no unit of time") }
        return scale
    }

    private static func scale(ofMedia content: ArraySlice<UInt8>) throws(MovieIndexGap) -> UInt64 {
        guard let box = try boxes(in: content).first(where: { $0.type == "mdhd" }) else {
            throw .unreadable("a track has no unit of time")
        }
        return try scale(content[box.content])
    }

    /// The content of a box `mvhd`, `tkhd` or `mdhd` with a length, before which there are `middle` bytes behind its
    /// dates. Long ones need another version of the box.
    private static func timed(
        _ content: ArraySlice<UInt8>, middle: Int, _ length: UInt64
    ) throws(MovieIndexGap) -> [UInt8] {
        var fields = BoxFields(content)
        let (version, flags) = try fields.versionAndFlags()
        let wide = version == 1 || length >= UInt64(UInt32.max)
        var made: [UInt8] = []
        made.append(word: UInt32(wide ? 1 : 0) << 24 | flags)
        for _ in 0..<2 { made.append(try fields.number(version == 1 ? 8 : 4), bytes: wide ? 8 : 4) }
        for _ in 0..<middle { made.append(try fields.number(1), bytes: 1) }
        try fields.skip(version == 1 ? 8 : 4)
        made.append(length, bytes: wide ? 8 : 4)
        return made + fields.left
    }
}

extension FragmentedTrack {
    /// The tables of its samples.
    fileprivate func tables(mediaAt place: Int, _ usesLongPlaces: Bool) -> [UInt8] {
        var times = Self.table(durations.count)
        for some in durations {
            times.append(word: some.count)
            times.append(word: some.ticks)
        }
        var tables = [UInt8].box("stts", times)
        if keys.count < sizes.count {
            var numbers = Self.table(keys.count)
            for key in keys { numbers.append(word: key) }
            tables += .box("stss", numbers)
        }
        var lengths: [UInt8] = []
        var runs = 0
        for (number, chunk) in chunks.enumerated() where number == 0 || chunks[number - 1].samples != chunk.samples {
            lengths.append(word: UInt32(number + 1))
            lengths.append(word: chunk.samples)
            lengths.append(word: 1)
            runs += 1
        }
        tables += .box("stsc", Self.table(runs) + lengths)
        // Each has its own size.
        var bytes: [UInt8] = []
        bytes.append(0, bytes: 8)
        bytes.append(word: UInt32(sizes.count))
        bytes.reserveCapacity(bytes.count + 4 * sizes.count)
        for size in sizes { bytes.append(word: size) }
        tables += .box("stsz", bytes)
        var places = Self.table(chunks.count)
        for chunk in chunks { places.append(UInt64(place + chunk.place), bytes: usesLongPlaces ? 8 : 4) }
        return tables + .box(usesLongPlaces ? "co64" : "stco", places)
    }

    /// The beginning of a table: version and flags of 0, and the number of its rows.
    private static func table(_ count: Int) -> [UInt8] {
        var table: [UInt8] = []
        table.append(word: 0)
        table.append(word: UInt32(count))
        return table
    }
}
