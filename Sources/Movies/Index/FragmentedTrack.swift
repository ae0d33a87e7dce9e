// SPDX-License-Identifier: MIT
// What the fragments of an MP4 file say of one of its tracks.

import LivecapStills

/// The samples of a track, gathered fragment by fragment: their sizes, times, and where they lie.
struct FragmentedTrack {
    /// Samples of the same duration, one after the other.
    struct Durations {
        var count: UInt32
        var ticks: UInt32
    }

    /// Samples that lie one after the other in the file.
    struct Chunk {
        /// Where they begin in the media of the finished file, which has nothing but media.
        var place: Int
        var samples: UInt32
    }

    /// Where a fragment comes from.
    struct Source {
        /// Where its box `moof` begins in the file.
        var origin: Int
        /// The number of bytes of the file. It has no more samples than that.
        var byteCount: Int
    }

    let id: UInt32
    /// In bytes.
    private(set) var sizes: [UInt32] = []
    private(set) var durations: [Durations] = []
    /// Numbers of the samples that need no other, from 1 on.
    private(set) var keys: [UInt32] = []
    private(set) var chunks: [Chunk] = []
    /// When the first sample begins, in ticks of the track.
    private(set) var begin: UInt64 = 0
    /// When the last sample begins, and how long it lasts.
    private var last: (begin: UInt64, ticks: UInt32)?

    /// A track that fragments name by this number. The box `trex` has what they leave out.
    init(trex: ArraySlice<UInt8>) throws(MovieIndexGap) {
        var fields = BoxFields(trex)
        try fields.skip(4)
        id = try fields.word()
        try fields.skip(4)
        usual = Usual(ticks: try fields.word(), size: try fields.word(), flags: try fields.word())
    }

    /// What is not said of each sample.
    private struct Usual {
        var ticks: UInt32
        var size: UInt32
        var flags: UInt32
    }

    private let usual: Usual

    /// How long it is, in ticks: from its first sample to the end of its last.
    var length: UInt64 { last.map { $0.begin + UInt64($0.ticks) - begin } ?? 0 }

    /// Adds what a box `traf` of a fragment has of this track. `media` turns a range of the file, with a number of
    /// samples, into its place in the media of the finished file.
    mutating func add(
        _ content: ArraySlice<UInt8>, from source: Source, media: (Range<Int>, Int) throws(MovieIndexGap) -> Int
    ) throws(MovieIndexGap) {
        var (base, here): (Int, Usual) = (source.origin, usual)
        var next: Int?
        for box in try boxes(in: content) {
            var fields = BoxFields(content[box.content])
            switch box.type {
            case "tfhd":
                let (_, flags) = try fields.versionAndFlags()
                try fields.skip(4)
                if flags & 0x1 != 0 { base = try Self.place(try fields.number(8)) }
                if flags & 0x2 != 0 { try fields.skip(4) }
                if flags & 0x8 != 0 { here.ticks = try fields.word() }
                if flags & 0x10 != 0 { here.size = try fields.word() }
                if flags & 0x20 != 0 { here.flags = try fields.word() }
            case "tfdt":
                let (version, _) = try fields.versionAndFlags()
                try go(to: try fields.number(version == 1 ? 8 : 4))
            case "trun":
                // A sample without bytes is allowed, but there are never more samples than the file has bytes.
                let room = min(Self.limit, source.byteCount) - sizes.count
                next = try addRun(&fields, base: base, next: next, here, room: room, media: media)
            default: break
            }
        }
    }

    /// Adds samples that lie one after the other. Returns where they end in the file.
    private mutating func addRun(
        _ fields: inout BoxFields, base: Int, next: Int?, _ usual: Usual, room: Int,
        media: (Range<Int>, Int) throws(MovieIndexGap) -> Int
    ) throws(MovieIndexGap) -> Int {
        let (_, flags) = try fields.versionAndFlags()
        let count = try fields.word()
        guard Int(count) <= room else { throw .unreadable("there are too many samples") }
        var place = next ?? base
        if flags & 0x1 != 0 { place = try Self.place(UInt64(base), plus: Int32(bitPattern: try fields.word())) }
        var first: UInt32?
        if flags & 0x4 != 0 { first = try fields.word() }
        let begin = place
        for number in 0..<count {
            let ticks = flags & 0x100 != 0 ? try fields.word() : usual.ticks
            let size = flags & 0x200 != 0 ? try fields.word() : usual.size
            let own = flags & 0x400 != 0 ? try fields.word() : usual.flags
            // Nothing here makes pictures that are shown in another order.
            if flags & 0x800 != 0, try fields.word() != 0 { throw .unreadable("pictures are shown out of order") }
            addSample(ticks: ticks, size: size, flags: number == 0 ? first ?? own : own)
            place += Int(size)
        }
        if count > 0 { chunks.append(Chunk(place: try media(begin..<place, Int(count)), samples: count)) }
        return place
    }

    /// More samples than a day has: no index of other programs' files is to fill the memory.
    private static let limit = 1 << 26

    private mutating func addSample(ticks: UInt32, size: UInt32, flags: UInt32) {
        let begin = last.map { $0.begin + UInt64($0.ticks) } ?? self.begin
        last = (begin, ticks)
        sizes.append(size)
        // sample_is_non_sync_sample
        if flags & 0x1_0000 == 0 { keys.append(UInt32(sizes.count)) }
        note(ticks)
    }

    private mutating func note(_ ticks: UInt32) {
        if let same = durations.last, same.ticks == ticks {
            durations[durations.count - 1].count += 1
        } else {
            durations.append(Durations(count: 1, ticks: ticks))
        }
    }

    /// The next sample begins at a time: the last one lasts until then.
    private mutating func go(to time: UInt64) throws(MovieIndexGap) {
        guard time < 1 << 62 else { throw .unreadable("a time is too large") }
        guard let last else {
            begin = time
            return
        }
        guard time >= last.begin, let ticks = UInt32(exactly: time - last.begin) else {
            throw .unreadable("times go back")
        }
        guard ticks != last.ticks else { return }
        self.last = (last.begin, ticks)
        durations[durations.count - 1].count -= 1
        if durations[durations.count - 1].count == 0 { durations.removeLast() }
        note(ticks)
    }

    private static func place(_ base: UInt64, plus offset: Int32 = 0) throws(MovieIndexGap) -> Int {
        guard base < 1 << 62 else { throw .unreadable("a place is too large") }
        return Int(base) + Int(offset)
    }
}
