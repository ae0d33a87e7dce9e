// SPDX-License-Identifier: MIT
// The JPEG pictures of a Matroska file, as `livecap movie` and `livecap export` keep a camera's: RFC 9559.

import LivecapFrames

/// A Matroska file whose pictures are JPEG. Their times are those in the file; sound and everything else is passed
/// over. A file that is still being written, or was cut off, has the pictures that are complete.
final class MatroskaFile: FrameFile {
    let description: SourceDescription
    let health: FileHealth
    let largestFrame: Int
    private let file: InputFile
    private let pictures: [MatroskaPicture]
    private let hasHuffmanTables: Bool

    /// With what such files begin: the id of their first element.
    static let magic: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

    init(_ file: InputFile, _ settings: ImportSettings) throws(FrameFileError) {
        var scan = MatroskaScan(file)
        try scan.run()
        guard let track = scan.track else { throw Self.unsuitable(file.path, scan.codecs) }
        let pictures = scan.pictures
        guard let first = pictures.first else {
            throw .badFile(
                file.path, detail: "it holds no complete picture", hint: "it was cut short, or has no picture yet")
        }
        var scanner = JPEGBoundaryScanner(file)
        let extent = try scanner.next(from: first.place)
        let found = extent.flatMap { $0.range.lowerBound == first.place ? $0 : nil }
        hasHuffmanTables = found?.hasHuffmanTables ?? true
        guard let size = found?.size ?? track.size else {
            throw .badFile(file.path, detail: "its pictures state no size", hint: "it is damaged, or not JPEG at all")
        }
        largestFrame = pictures.reduce(0) { max($0, $1.byteCount) }
        self.file = file
        self.pictures = pictures
        health = scan.health
        description = SourceDescription(
            name: file.path, identity: file.path,
            format: FrameFormat(
                pixelFormat: .mjpeg, size: size, bytesPerLine: 0, byteCount: largestFrame,
                colorimetry: settings.colorimetry ?? .jpeg),
            rate: settings.rate ?? track.rate ?? Self.rate(of: pictures), clock: .own, firstTime: first.time,
            frameCount: pictures.count)
    }

    private static func unsuitable(_ path: String, _ codecs: [String]) -> FrameFileError {
        let codecs = codecs.map { $0.hasPrefix("V_") ? String($0.dropFirst(2)) : $0 }
        let pictures = codecs.isEmpty ? "it holds no pictures" : "its pictures are \(codecs[0]), not a camera's JPEG"
        return .badFile(
            path, detail: "it is a movie, and \(pictures)", hint: "convert it to frames: ffmpeg -i \(path) frames.y4m")
    }

    /// The usual rate of pictures whose file states none: that of the middle interval.
    private static func rate(of pictures: [MatroskaPicture]) -> FrameRate {
        let intervals = zip(pictures, pictures.dropFirst()).map { $1.time - $0.time }.sorted()
        guard !intervals.isEmpty else { return ImportSettings.usualRate }
        let middle = intervals[intervals.count / 2].nanoseconds
        guard (10_000...1_000_000_000_000).contains(middle) else { return ImportSettings.usualRate }
        // Times in whole milliseconds say no more than this.
        return FrameRate(UInt32((1e12 / Double(middle)).rounded()), per: 1000)
    }

    var frameCount: Int { pictures.count }

    func metadata(_ index: Int) -> FrameMetadata {
        let picture = pictures[index]
        var frame = FrameMetadata(
            time: picture.time, byteCount: picture.byteCount, sequence: UInt32(truncatingIfNeeded: index),
            timeSource: .file, flags: index == 0 ? .firstOfEpoch : [], id: FrameID(epoch: 0, counter: UInt64(index)))
        if !hasHuffmanTables { frame.flags.insert(.standardHuffmanTables) }
        return frame
    }

    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        var frame = metadata(index)
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[..<frame.byteCount])
        guard try file.readFrame(at: pictures[index].place, into: place) else {
            frame.markDamaged(.short)
            return frame
        }
        if place.count < 4 || place[0] != 0xFF || place[1] != 0xD8 { frame.markDamaged(.jpegNoStart) }
        return frame
    }
}

/// A picture in a Matroska file.
struct MatroskaPicture {
    let place: Int
    let byteCount: Int
    let time: Timestamp
}

/// Goes through a Matroska file, element by element, and finds its pictures. Accepts any bytes.
struct MatroskaScan {
    /// The first track of JPEG pictures.
    struct Track {
        var number: UInt64
        var size: FrameSize?
        var rate: FrameRate?
    }

    private(set) var track: Track?
    /// The codecs of all tracks of pictures.
    private(set) var codecs: [String] = []
    private(set) var pictures: [MatroskaPicture] = []
    private(set) var health = FileHealth()
    private let file: InputFile
    /// Nanoseconds of a unit of time.
    private var unit: UInt64 = 1_000_000
    /// When the present cluster begins, in units.
    private var cluster: UInt64 = 0

    init(_ file: InputFile) { self.file = file }

    private enum ID {
        static let segment: UInt32 = 0x1853_8067
        static let info: UInt32 = 0x1549_A966
        static let unit: UInt32 = 0x2AD7B1
        static let tracks: UInt32 = 0x1654_AE6B
        static let entry: UInt32 = 0xAE
        static let cluster: UInt32 = 0x1F43_B675
        static let time: UInt32 = 0xE7
        static let group: UInt32 = 0xA0
        static let block: UInt32 = 0xA1
        static let simpleBlock: UInt32 = 0xA3
        /// Those whose elements are read as if they stood alone: the end of some is not known.
        static let transparent: Set<UInt32> = [segment, info, tracks, cluster, group]
    }

    mutating func run() throws(FrameFileError) {
        var place = 0
        while place < file.byteCount {
            let head = try file.bytes(at: place, count: 12)
            guard let element = EBML.header(in: head[...]) else {
                // Nothing says where the next element begins.
                health.tornBytes = file.byteCount - place
                return
            }
            place += element.length
            if element.id == ID.cluster { cluster = 0 }
            if ID.transparent.contains(element.id) { continue }
            guard let size = element.size, size <= file.byteCount - place else {
                health.tornBytes = file.byteCount - place + element.length
                return
            }
            try take(element.id, place..<place + size)
            place += size
        }
    }

    private mutating func take(_ id: UInt32, _ content: Range<Int>) throws(FrameFileError) {
        switch id {
        case ID.unit: unit = max(1, try number(content))
        case ID.time: cluster = try number(content)
        case ID.entry: try takeTrack(content)
        case ID.block, ID.simpleBlock: try takeBlock(content)
        default: break
        }
    }

    private func number(_ content: Range<Int>) throws(FrameFileError) -> UInt64 {
        guard content.count <= 8 else { return 0 }
        return try file.bytes(at: content.lowerBound, count: content.count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A track: its number, codec, size and rate.
    private mutating func takeTrack(_ content: Range<Int>) throws(FrameFileError) {
        let bytes = try file.bytes(at: content.lowerBound, count: min(content.count, 1 << 20))
        var place = 0
        var (number, interval): (UInt64, UInt64) = (0, 0)
        var (width, height): (UInt64, UInt64) = (0, 0)
        var codec = ""
        while let element = EBML.header(in: bytes[place...]) {
            place += element.length
            // Into the description of pictures.
            if element.id == 0xE0 { continue }
            guard let size = element.size, size <= bytes.count - place else { break }
            let value = bytes[place..<place + size]
            let figure = value.count <= 8 ? value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
            switch element.id {
            case 0xD7: number = figure
            case 0x86: codec = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
            case 0x23_E383: interval = figure
            case 0xB0: width = figure
            case 0xBA: height = figure
            default: break
            }
            place += size
        }
        guard codec.hasPrefix("V_") else { return }
        codecs.append(codec)
        guard codec == "V_MJPEG", track == nil else { return }
        track = Track(number: number)
        if (1...65_535).contains(width), (1...65_535).contains(height) {
            track?.size = FrameSize(width: Int(width), height: Int(height))
        }
        if (10_000...1_000_000_000_000).contains(interval) {
            track?.rate = FrameRate(UInt32((1e12 / Double(interval)).rounded()), per: 1000)
        }
    }

    /// A block: the track's number, a time in the cluster, flags, and one picture.
    private mutating func takeBlock(_ content: Range<Int>) throws(FrameFileError) {
        guard let track else { return }
        let head = try file.bytes(at: content.lowerBound, count: min(content.count, 12))
        guard let mark = head.first, mark > 0 else { return }
        let length = mark.leadingZeroBitCount + 1
        guard head.count >= length + 3 else { return }
        let bits = UInt64(1) << UInt64(7 * length)
        guard head.prefix(length).reduce(UInt64(0), { $0 << 8 | UInt64($1) }) & (bits - 1) == track.number else {
            return
        }
        let relative = Int64(Int16(bitPattern: UInt16(head[length]) << 8 | UInt16(head[length + 1])))
        let begin = length + 3
        // Several pictures in one block are not made by anybody.
        let isLaced = head[length + 2] & 0x06 != 0
        guard !isLaced, content.count > begin, let time = time(relative), pictures.last.map({ time > $0.time }) ?? true
        else {
            health.damagedStretches += 1
            return
        }
        pictures.append(
            MatroskaPicture(place: content.lowerBound + begin, byteCount: content.count - begin, time: time))
    }

    /// The time of a block; nil if there is no such time.
    private func time(_ relative: Int64) -> Timestamp? {
        guard let base = Int64(exactly: cluster), let unit = Int64(exactly: unit) else { return nil }
        let (units, isTooLate) = base.addingReportingOverflow(relative)
        let (nanoseconds, isTooLong) = units.multipliedReportingOverflow(by: unit)
        guard !isTooLate, !isTooLong, nanoseconds >= 0, nanoseconds < 1 << 62 else { return nil }
        return Timestamp(nanoseconds: nanoseconds)
    }
}
