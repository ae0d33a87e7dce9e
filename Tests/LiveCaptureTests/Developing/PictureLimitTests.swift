// SPDX-License-Identifier: MIT
// Pictures that are too large or need too much memory are refused because of what their headers claim.

import Camera
import LivecapFrameFiles
import LivecapFrames
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct PictureLimitTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    /// A recording of a few bytes whose header claims frames of this size.
    private func recording(_ pixelFormat: PixelFormat, _ width: Int, _ height: Int) throws -> KeptBurst {
        var format = FrameFormat(pixelFormat: pixelFormat, size: FrameSize(width: width, height: height))
        format.byteCount = min(format.byteCount, 256 << 20)
        let source = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(30), clock: .own)
        let path = folder.file("a.lcap"), writer = try DumpWriter(path, DumpHeader(of: source), overwrite: true)
        let bytes = try jpegPicture(FrameSize(width: 32, height: 32))
        let frame = FrameMetadata(time: moment(0), byteCount: bytes.count, id: FrameID(epoch: 0, counter: 0))
        try bytes.withUnsafeBytes { try writer.append(frame, $0) }
        try writer.finish()
        return KeptBurst(try DumpReader(path))
    }

    @Test(arguments: PhotoQuality.allCases, StillFormat.allCases) func aSideIsBounded(
        quality: PhotoQuality, format: StillFormat
    ) throws {
        let burst = try recording(.mjpeg, 65535, 65535)
        let error = PhotoError.tooLarge(FrameSize(width: 65535, height: 65535), limit: "at most 8192x8192")
        #expect(throws: error) { try burst.photo(PhotoSettings(quality: quality, format: format), threads: 1) }
    }

    @Test func aFileFormatHasItsOwnLimit() throws {
        let burst = try recording(.mjpeg, 8192, 8192), settings = PhotoSettings(quality: .speed, format: .heic)
        let error = PhotoError.tooLarge(
            FrameSize(width: 8192, height: 8192), limit: "heic has at most 35 megapixels")
        #expect(throws: error) { try burst.photo(settings, threads: 1) }
        #expect(error.code == "too-large" && error.exitStatus == 65)
    }

    @Test func memoryIsPlannedBeforeWorkBegins() throws {
        let burst = try recording(.mjpeg, 4000, 3000), settings = PhotoSettings(quality: .balanced)
        let error = #expect(throws: PhotoError.self) { try burst.photo(settings, threads: 1, memory: 256 << 20) }
        guard case .tooLittleMemory(let needed, 256 << 20)? = error else { return _ = Issue.record("\(error as Any)") }
        #expect(needed > 256 << 20)
    }

    /// The size in the header is not that of the frame.
    @Test func aFrameOfAnotherSizeThanItsStreamIsNoPicture() throws {
        for quality in PhotoQuality.allCases {
            let error = #expect(throws: PhotoError.self) {
                try recording(.mjpeg, 48, 48).photo(PhotoSettings(quality: quality), threads: 1)
            }
            #expect(error?.code == "undecodable")
        }
    }

    @Test func aSessionRefusesThemToo() throws {
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 8200, height: 64))
        let source = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(30), clock: .own)
        let error = #expect(throws: CameraError.self) {
            try MemoryPlan(1 << 40, source, history: .zero, threads: 1)
        }
        #expect(error?.message.contains("8192x8192") == true)
    }
}
