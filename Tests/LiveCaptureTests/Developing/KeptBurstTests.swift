// SPDX-License-Identifier: MIT
// Kept frames developed again: which frames are used, and that the picture is the same each time.

import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct KeptBurstTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    /// A recording of a frame every 10 ms, with counters from `counter`. Number 6 is damaged.
    private func recording(counter: (Int) -> UInt64 = { UInt64($0) }) throws -> KeptBurst {
        let format = HandFilledRing.format, path = folder.file("a.lcap")
        let source = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(100), clock: .own)
        let writer = try DumpWriter(path, DumpHeader(of: source))
        for number in 0..<12 {
            let bytes = HandFilledRing.picture(number: number, byteCount: format.byteCount)
            let frame = FrameMetadata(
                time: moment(Double(10 * number)), byteCount: bytes.count, damage: number == 6 ? .driverFlag : .none,
                id: FrameID(epoch: 0, counter: counter(number)))
            try bytes.withUnsafeBytes { try writer.append(frame, $0) }
        }
        try writer.finish()
        return KeptBurst(try DumpReader(path))
    }

    /// The counters of a photo's frames, with the reference in brackets.
    private func story(_ photo: Photo) -> String {
        photo.used.map(\.frame.id).sorted().map { $0 == photo.reference.id ? "[\($0.counter)]" : "\($0.counter)" }
            .joined(separator: " ")
    }

    @Test(arguments: [
        (KeptBurst.Reference.usual, 0, 3, 0, "9 10 [11]"), (.at(.milliseconds(41)), 0, 3, 0, "2 3 [4]"),
        (.at(.milliseconds(41)), 0, 4, 2, "3 [4] 5 7"), (.at(.milliseconds(41)), 2, 3, 0, "4 5 [7]"),
        (.at(.milliseconds(41)), -3, 3, 0, "0 [1]"), (.frame(FrameID(epoch: 0, counter: 6)), 0, 2, 0, "4 [5]"),
    ]) func framesAreTakenAroundTheMoment(
        _ reference: KeptBurst.Reference, _ steps: Int, _ frames: Int, _ after: Int, _ expected: String
    ) throws {
        let photo = try recording().photo(
            PhotoSettings(quality: .mean, frames: frames, laterFrames: after), of: reference, movedBy: steps, threads: 1
        )
        #expect(story(photo) == expected)
    }

    /// A recording of a JPEG frame every 10 ms. Those in `broken` do not decode, those in `damaged` are marked as
    /// damaged.
    private func movie(broken: ClosedRange<Int>, damaged: ClosedRange<Int> = 99...99) throws -> KeptBurst {
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 32, height: 32))
        let source = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(100), clock: .own)
        let path = folder.file("m.lcap"), writer = try DumpWriter(path, DumpHeader(of: source), overwrite: true)
        for number in 0..<12 {
            let picture = try jpegPicture(format.size, seed: UInt8(number))
            let bytes = broken.contains(number) ? try cut(picture) : picture
            let frame = FrameMetadata(
                time: moment(Double(10 * number)), byteCount: bytes.count,
                damage: damaged.contains(number) ? .driverFlag : .none, id: FrameID(epoch: 0, counter: UInt64(number)))
            try bytes.withUnsafeBytes { try writer.append(frame, $0) }
        }
        try writer.finish()
        return KeptBurst(try DumpReader(path))
    }

    @Test(arguments: PhotoQuality.allCases) func aFrameThatDoesNotDecodeIsNoPhoto(_ quality: PhotoQuality) throws {
        let settings = PhotoSettings(quality: quality)
        let photo = try movie(broken: 5...5).photo(settings, of: .at(.milliseconds(50)), threads: 1)
        #expect(photo.reference.id.counter == 4)
        #expect(photo.rejected.contains { $0.id.counter == 5 && $0.reason.contains("premature end") })
        #expect(throws: PhotoError.self) {
            try movie(broken: 4...6).photo(settings, of: .at(.milliseconds(50)), threads: 1)
        }
        #expect(throws: PhotoError.self) {
            try movie(broken: 0...11).photo(settings, of: .at(.milliseconds(50)), threads: 1)
        }
    }

    @Test func aUsableFrameFarAwayIsNotTheMoments() throws {
        let burst = try movie(broken: 99...99, damaged: 3...11)
        #expect(throws: PhotoError.noFrame(at: moment(110), distance: .milliseconds(90))) {
            try burst.photo(PhotoSettings(quality: .speed), threads: 1)
        }
        #expect(try burst.photo(PhotoSettings(quality: .speed), of: .at(.milliseconds(30))).reference.id.counter == 2)
    }

    @Test func aFrameThatIsNotWhatWasRecordedIsLeftOut() throws {
        let burst = try recording()
        let frameBytes = HandFilledRing.format.byteCount
        try folder.damage("a.lcap", at: 300 + 9 * frameBytes)
        let photo = try burst.photo(PhotoSettings(quality: .mean, frames: 4), of: .at(.milliseconds(100)), threads: 1)
        #expect(photo.rejected.map(\.reason) == ["damaged: driver-flag", "damaged: checksum"])
        #expect(photo.used.count == 4)
    }

    /// No camera counts like this, but a file may contain any numbers.
    @Test func framesMayBeCountedDownwards() throws {
        let burst = try recording { .max - UInt64($0) }
        let photo = try burst.photo(PhotoSettings(quality: .mean, frames: 4), of: .at(.milliseconds(80)), threads: 1)
        #expect(photo.used.count == 4)
        #expect(photo.rejected.map(\.reason) == ["damaged: driver-flag"])
    }

    @Test func whatIsNotThereIsSaid() throws {
        let burst = try recording()
        let settings = PhotoSettings(quality: .speed)
        #expect(throws: PhotoError.noFrame(at: moment(500), distance: .milliseconds(390))) {
            try burst.photo(settings, of: .at(.milliseconds(500)))
        }
        let end = PhotoError.noFrame(
            at: Timestamp(nanoseconds: .max), distance: Duration.nanoseconds(Int64.max) - .milliseconds(110))
        #expect(throws: end) { try burst.photo(settings, of: .at(.nanoseconds(Int64.max))) }
        let longest = PhotoError.tooOld(by: .nanoseconds(Int64.max))
        #expect(longest.message == "the moment is 9223372036.8 s older than the history")
        let missing = FrameID(epoch: 1, counter: 3)
        #expect(throws: PhotoError.noSuchFrame(missing)) { try burst.photo(settings, of: .frame(missing)) }
        #expect(throws: PhotoError.self) { try burst.photo(settings, movedBy: 1) }
        #expect(throws: PhotoError.self) { try burst.photo(settings, movedBy: .max) }
    }

    @Test func itIsTheSamePictureEachTime() throws {
        let burst = try recording()
        let settings = PhotoSettings(quality: .balanced, frames: 3, format: .png)
        #expect(try burst.photo(settings, threads: 1).bytes == burst.photo(settings, threads: 3).bytes)
    }

    /// With the original settings the result is the photo that would have been made at once. Earlier moments can be
    /// developed, too.
    @Test func aPhotoOfALibraryIsDevelopedAgain() async throws {
        let library = try PhotoLibrary(folder.file("library"))
        let settings = PhotoSettings(quality: .merge, frames: 4, format: .png, deferral: .required)
        var bytes: [[UInt8]] = []
        for library in [nil, library] {
            let driven = try HandDrivenDesk(library: library)
            driven.frames(0..<20)
            var settings = settings
            if library == nil { settings.deferral = .never }
            let shot = driven.tap(at: 102, settings)
            driven.work()
            bytes.append(try await shot.photo().bytes)
        }
        let burst = try KeptBurst(of: PhotoID(number: 1), in: library)
        #expect(try burst.photo(settings, threads: 2).bytes == bytes[0])
        let earlier = try burst.photo(PhotoSettings(quality: .mean, frames: 4), movedBy: -2, threads: 1)
        #expect(story(earlier) == "7 [8] 9 10")
    }
}
