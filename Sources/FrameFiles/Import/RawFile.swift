// SPDX-License-Identifier: MIT
// Headerless raw frames, one after another, as v4l2-ctl --stream-to and ffmpeg's rawvideo write them.

import LivecapFrames

/// A file of nothing but frames. The user provides format, size and rate.
final class RawFile: FrameFile {
    let description: SourceDescription
    let frameCount: Int
    let health = FileHealth()
    private let file: InputFile
    private let rate: FrameRate

    init(_ file: InputFile, _ settings: ImportSettings) throws(FrameFileError) {
        guard let pixelFormat = settings.format else {
            throw .unknownFormat(file.path)
        }
        guard pixelFormat.samples != nil || DepthLayout(pixelFormat) != nil else {
            throw .badSettings(
                "the boundaries of headerless \(pixelFormat) frames are unknown",
                hint: "supported: \(PixelFormat.namesOfUncompressed.joined(separator: ", "))")
        }
        guard let size = settings.size else {
            let fitting = Self.sizes(fitting: file.byteCount, pixelFormat).prefix(Self.maxSuggested)
            throw .unknownSize(file.path, fits: Array(fitting))
        }
        let format = FrameFormat.unpadded(pixelFormat, size, settings.colorimetry)
        guard (1...65535).contains(size.width), (1...65535).contains(size.height),
            file.byteCount >= format.byteCount, file.byteCount % format.byteCount == 0
        else {
            let fitting = Self.sizes(fitting: file.byteCount, pixelFormat, near: size).prefix(Self.maxSuggested)
            throw .wrongSize(file.path, byteCount: file.byteCount, fits: Array(fitting))
        }
        guard format.byteCount <= FrameFormat.maxBytes else { throw .tooLarge(format) }
        rate = settings.rate ?? ImportSettings.usualRate
        frameCount = file.byteCount / format.byteCount
        self.file = file
        description = SourceDescription(
            name: file.path, identity: file.path, format: format, rate: rate, clock: .own, firstTime: .zero,
            frameCount: frameCount)
    }

    var largestFrame: Int { description.format.byteCount }

    func metadata(_ index: Int) -> FrameMetadata {
        FrameMetadata(imported: index, rate: rate, byteCount: largestFrame)
    }

    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        var frame = metadata(index)
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[..<frame.byteCount])
        if try !file.readFrame(at: index * largestFrame, into: place) { frame.markDamaged(.short) }
        return frame
    }

    private static let maxSuggested = 8

    /// Common sizes whose frames fill `byteCount` exactly: nearest to `wished` first or, without it, largest first.
    static func sizes(fitting byteCount: Int, _ format: PixelFormat, near wished: FrameSize? = nil) -> [FrameSize] {
        let fitting = usualSizes.filter {
            let frame = FrameFormat.unpadded(format, $0).byteCount
            return byteCount >= frame && byteCount % frame == 0
        }
        guard let wished else { return fitting.sorted { $0.area > $1.area } }
        func distance(_ size: FrameSize) -> Int {
            abs(size.width - wished.width) + abs(size.height - wished.height)
        }
        return fitting.sorted { distance($0) < distance($1) }
    }

    /// Common sizes of cameras and films.
    private static let usualSizes = [
        (160, 90), (160, 120), (176, 144), (320, 180), (320, 240), (352, 240), (352, 288), (424, 240), (432, 240),
        (480, 270), (512, 288), (640, 360), (640, 400), (640, 480), (720, 480), (720, 576), (768, 432), (768, 576),
        (800, 448), (800, 600), (848, 480), (864, 480), (960, 540), (960, 720), (1024, 576), (1024, 768), (1280, 720),
        (1280, 800), (1280, 960), (1280, 1024), (1600, 896), (1600, 900), (1600, 1200), (1920, 1080), (1920, 1200),
        (2048, 1536), (2304, 1296), (2304, 1536), (2560, 1440), (2592, 1944), (3264, 2448), (3840, 2160), (4096, 2160),
        (4656, 3496), (7680, 4320),
    ].map { FrameSize(width: $0.0, height: $0.1) }
}
