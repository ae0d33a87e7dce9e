// SPDX-License-Identifier: MIT
// YUV4MPEG2: a line of text, then frames of planar samples, each preceded by a short line of its own.

import LivecapFrames

/// A `.y4m` file, progressive, 8 bits: 4:2:0, 4:2:2 or grey.
final class Y4MFile: FrameFile {
    static let magic = Array("YUV4MPEG2 ".utf8)
    private static let frameMagic = Array("FRAME".utf8)
    /// The maximum length of a line.
    private static let longestLine = 1024

    let description: SourceDescription
    let health: FileHealth
    private let file: InputFile
    private let rate: FrameRate
    /// The offset of each frame's samples.
    private let offsets: [Int]

    init(_ file: InputFile, _ settings: ImportSettings) throws(FrameFileError) {
        guard let line = try Self.line(of: file, at: 0) else {
            throw .badFile(file.path, detail: "its first line does not end", hint: "it is damaged; create it again")
        }
        let stream = try Y4MStream(line, path: file.path)
        rate = settings.rate ?? stream.rate ?? ImportSettings.usualRate
        var format = stream.format
        if let colorimetry = settings.colorimetry { format.colorimetry = colorimetry }

        var offsets: [Int] = []
        var health = FileHealth()
        var at = line.count + 1
        // Nearly every frame line is the same, so reading a few bytes usually covers one.
        while at < file.byteCount {
            guard let frameLine = try Self.line(of: file, at: at, usually: 6), frameLine.starts(with: Self.frameMagic),
                format.byteCount <= file.byteCount - at - frameLine.count - 1
            else {
                health.tornBytes = file.byteCount - at
                break
            }
            offsets.append(at + frameLine.count + 1)
            at += frameLine.count + 1 + format.byteCount
        }
        self.file = file
        self.offsets = offsets
        self.health = health
        description = SourceDescription(
            name: file.path, identity: file.path, format: format, rate: rate, clock: .own, firstTime: .zero,
            frameCount: offsets.count)
    }

    var frameCount: Int { offsets.count }
    var largestFrame: Int { description.format.byteCount }

    func metadata(_ index: Int) -> FrameMetadata {
        FrameMetadata(imported: index, rate: rate, byteCount: description.format.byteCount)
    }

    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        var frame = metadata(index)
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[..<frame.byteCount])
        if try !file.readFrame(at: offsets[index], into: place) { frame.markDamaged(.short) }
        return frame
    }

    /// The line at `offset` without its newline; nil if it has no end.
    private static func line(of file: InputFile, at offset: Int, usually: Int = 256) throws(FrameFileError) -> [UInt8]?
    {
        var line = try file.bytes(at: offset, count: usually)
        if !line.contains(UInt8(ascii: "\n")) { line = try file.bytes(at: offset, count: longestLine) }
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return Array(line[..<end])
    }
}

/// The contents of the first line of a `.y4m` file.
struct Y4MStream: Equatable {
    var format: FrameFormat
    var rate: FrameRate?

    /// The supported colour spaces. A file that names none is 4:2:0.
    private static let colourSpaces = Dictionary(
        uniqueKeysWithValues: PixelFormatRow.all.flatMap { row in row.y4m.map { ($0, row.format) } })

    init(_ line: [UInt8], path: String) throws(FrameFileError) {
        var (width, height): (Int?, Int?) = (nil, nil)
        var pixelFormat = PixelFormat.i420
        var range: Colorimetry.Range?
        for field in String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst() {
            let value = String(field.dropFirst())
            switch field.first {
            case "W": width = UInt16(value).map(Int.init)
            case "H": height = UInt16(value).map(Int.init)
            case "F": rate = FrameRate(value)
            case "I":
                guard value == "p" || value == "?" else {
                    throw .badFile(
                        path, detail: "its pictures are interlaced (I\(value))",
                        hint: "make it progressive: ffmpeg -i \(path) -vf yadif frames.y4m")
                }
            case "C":
                guard let known = Self.colourSpaces[value] else {
                    throw .badFile(
                        path, detail: "its colour space C\(value) is not supported",
                        hint: "supported: C420jpeg, C420mpeg2, C420paldv, C420, C422, Cmono: "
                            + "ffmpeg -i \(path) -pix_fmt yuv420p frames.y4m")
                }
                pixelFormat = known
            case "X":
                if value == "COLORRANGE=FULL" { range = .full }
                if value == "COLORRANGE=LIMITED" { range = .limited }
            default: break
            }
        }
        guard let width, let height, width > 0, height > 0 else {
            throw .badFile(
                path, detail: "its size is missing or not from 1x1 to 65535x65535",
                hint: "it is damaged; create it again")
        }
        var colorimetry = Colorimetry.webcam
        if let range { colorimetry.range = range }
        format = .unpadded(pixelFormat, FrameSize(width: width, height: height), colorimetry)
        guard format.byteCount <= FrameFormat.maxBytes else {
            throw .badFile(
                path, detail: "its frames of \(format.size) are larger than \(FrameFormat.maxBytes >> 20) MiB",
                hint: "it is damaged, or its pictures must be scaled down first")
        }
    }
}

extension FrameFormat {
    /// A format as files store it: plane rows are not even padded to whole chroma samples.
    static func unpadded(
        _ pixelFormat: PixelFormat, _ size: FrameSize, _ colorimetry: Colorimetry? = nil
    ) -> FrameFormat {
        var format = FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: colorimetry)
        if pixelFormat.samples?.planeCount == 3 {
            format.bytesPerLine = size.width
            format.byteCount = format.leastByteCount
        }
        return format
    }
}
