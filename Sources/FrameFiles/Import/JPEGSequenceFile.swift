// SPDX-License-Identifier: MIT
// Concatenated JPEG: .mjpg and .mjpeg files, and saved multipart streams.

import LivecapFrames

/// A file of concatenated JPEGs.
final class JPEGSequenceFile: FrameFile {
    let description: SourceDescription
    let health: FileHealth
    let largestFrame: Int
    private let file: InputFile
    private let rate: FrameRate
    private let pictures: [JPEGExtent]

    init(_ file: InputFile, _ settings: ImportSettings) throws(FrameFileError) {
        var scanner = JPEGBoundaryScanner(file)
        var pictures: [JPEGExtent] = []
        var end = 0
        var health = FileHealth()
        while let picture = try scanner.next(from: end) {
            // Without a size it is not a picture, only bytes that begin like one.
            if picture.size == nil { health.damagedStretches += 1 } else { pictures.append(picture) }
            end = picture.range.upperBound
        }
        guard let size = settings.size ?? pictures.lazy.compactMap(\.size).first else {
            throw .badFile(
                file.path, detail: "no JPEG in it states its size", hint: "it is damaged, or not JPEG at all")
        }
        for index in pictures.indices where pictures[index].damage == .none && pictures[index].size != size {
            pictures[index].damage = .jpegSize
        }
        // A picture truncated at the end of the file is delivered, marked as damaged.
        if pictures.last?.damage == .jpegNoEnd { health.tornBytes = pictures.last!.range.count }
        largestFrame = pictures.reduce(0) { max($0, $1.range.count) }
        rate = settings.rate ?? ImportSettings.usualRate
        self.file = file
        self.health = health
        self.pictures = pictures
        description = SourceDescription(
            name: file.path, identity: file.path,
            format: FrameFormat(
                pixelFormat: .mjpeg, size: size, bytesPerLine: 0, byteCount: largestFrame,
                colorimetry: settings.colorimetry ?? .jpeg),
            rate: rate, clock: .own, firstTime: .zero, frameCount: pictures.count)
    }

    var frameCount: Int { pictures.count }

    func metadata(_ index: Int) -> FrameMetadata {
        let picture = pictures[index]
        var frame = FrameMetadata(imported: index, rate: rate, byteCount: picture.range.count)
        if !picture.hasHuffmanTables { frame.flags.insert(.standardHuffmanTables) }
        if picture.damage != .none { frame.markDamaged(picture.damage) }
        return frame
    }

    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        var frame = metadata(index)
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[..<frame.byteCount])
        if try !file.readFrame(at: pictures[index].range.lowerBound, into: place) { frame.markDamaged(.short) }
        return frame
    }
}
