// SPDX-License-Identifier: MIT
// A disk with room for pictures and none for their source frames: the pictures are made at once.

import Foundation
import Glibc
import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct FullDiskTests {
    private let folder: PhotoFolder
    private let disk: SmallDisk
    private let library: PhotoLibrary
    /// A frame is larger than a picture of it, and a picture than a tenth of a frame.
    private static let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 160, height: 96))
    private static let frameBytes = Double(format.byteCount)

    init() throws {
        folder = try PhotoFolder()
        disk = SmallDisk(folder.file("library"))
        var options = LibraryOptions()
        let (disk, write) = (disk, options.calls.write)
        options.calls.write = { descriptor, bytes in
            guard disk.hasRoom(for: bytes.count) else {
                errno = ENOSPC
                return -1
            }
            return write(descriptor, bytes)
        }
        library = try PhotoLibrary(folder.file("library"), options)
    }

    /// Publishes frames of stripes with a little noise, 10 ms apart.
    private func publish(_ numbers: Range<Int>, to driven: HandDrivenDesk) {
        for number in numbers {
            let bytes = (0..<Self.format.byteCount).map { place in
                place % 2 == 1 ? 128 : UInt8(60 + place / 48 % 2 * 90 + (place / 2 * 7 + number * 13) % 5)
            }
            driven.frame(at: Double(10 * number), bytes: bytes)
        }
    }

    private func settings(isDeferred: Bool) -> PhotoSettings {
        var settings = PhotoSettings(quality: .merge, frames: 4, deferral: isDeferred ? .required : .never)
        settings.keepsFrames = !isDeferred
        return settings
    }

    private func expectNote(_ photo: Photo, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(!photo.isProxy && photo.keptFrames == 0, sourceLocation: sourceLocation)
        #expect(photo.used.count + photo.rejected.count == 4, sourceLocation: sourceLocation)
        #expect(photo.qualityGiven == .merge, sourceLocation: sourceLocation)
        #expect(photo.notes == [StoreRoom.remark], sourceLocation: sourceLocation)
        #expect(photo.provenance?.contains(StoreRoom.remark) == true, sourceLocation: sourceLocation)
        let stored = try library.photo(#require(photo.libraryID))
        #expect(stored.state == .finished && stored.keptFrames == 0, sourceLocation: sourceLocation)
    }

    /// The disk becomes full at some frame, or at the proxy.
    @Test(
        "A burst that does not fit costs no photo, and leaves nothing behind",
        arguments: [0.5, 1.15, 2.5, 4.1], [true, false])
    func burst(frames: Double, isDeferred: Bool) async throws {
        let driven = try HandDrivenDesk(format: Self.format, library: library)
        publish(0..<20, to: driven)
        disk.allow(Int(frames * Self.frameBytes))
        let shot = driven.tap(at: 100, settings(isDeferred: isDeferred))
        driven.work()
        let photo = try await shot.photo()
        #expect(await shot.story() == "begin captured frames-not-kept photo")
        try expectNote(photo)
        let share = Double(photo.byteCount) / Self.frameBytes
        #expect(share > 0.1 && share < 0.5, "\(share)")
        #expect(driven.isAtRest())
        #expect(try await library.verify().problems.isEmpty)
        // The last to have a frame of the file may be a thread that is about to let it go.
        let deadline = ContinuousClock.now + .seconds(60)
        while !disk.bursts.isEmpty, ContinuousClock.now < deadline { usleep(1000) }
        #expect(disk.bursts.isEmpty)
    }

    /// Only the frames that did not fit go: those of earlier photos stay in the same file, which grows again later.
    @Test("Frames of other photos stay when a burst does not fit", arguments: [1.15, 4.1])
    func between(frames: Double) async throws {
        let driven = try HandDrivenDesk(format: Self.format, library: library)
        func tap(_ first: Int) -> PhotoCapture {
            publish(first..<first + 20, to: driven)
            let shot = driven.tap(at: Double(10 * first + 100), settings(isDeferred: true))
            driven.work()
            return shot
        }
        let first = try #require(await tap(0).proxy())
        let before = disk.bursts
        #expect(before.count == 1)
        disk.allow(Int(frames * Self.frameBytes))
        try expectNote(try await tap(1000).photo())
        #expect(disk.bursts == before)
        disk.allow(.max / 2)
        let last = try #require(await tap(2000).proxy())
        #expect(disk.bursts.count == 1 && driven.isAtRest(from: 30_000))
        for id in [first.id, last.id] {
            let sizes = try library.frames(of: id).map { try $0.bytes().count }
            #expect(sizes == Array(repeating: Self.format.byteCount, count: 4))
        }
        #expect(try await library.verify().problems.isEmpty)
    }

    @Test("A disk without room even for the picture fails the shot") func nothingFits() async throws {
        let driven = try HandDrivenDesk(format: Self.format, library: library)
        publish(0..<20, to: driven)
        disk.allow(100)
        let shot = driven.tap(at: 100, settings(isDeferred: true))
        driven.work()
        guard case .notKept(.fileError(_, _, ENOSPC))? = await shot.failure() else {
            Issue.record("it was announced")
            return
        }
        #expect(try await library.photos().isEmpty)
        #expect(driven.isAtRest())
    }
}

/// A library's disk that has a certain number of bytes for its files. What is removed or cut off makes room.
private final class SmallDisk: Sendable {
    private let path: String
    private let limit = Guarded(Int.max)

    init(_ path: String) { self.path = path }

    /// Leaves room for this many bytes more than there are.
    func allow(_ bytes: Int) { limit.withLock { $0 = used + bytes } }

    func hasRoom(for bytes: Int) -> Bool { limit.withLock { $0 == .max || used + bytes <= $0 } }

    private var files: [(name: String, size: Int)] {
        (FileManager.default.subpaths(atPath: path) ?? []).compactMap { name in
            var status = stat()
            guard !name.hasPrefix("catalogue"), lstat("\(path)/\(name)", &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            return (name, Int(status.st_size))
        }
    }

    private var used: Int { files.reduce(0) { $0 + $1.size } }

    /// The sizes of the files of kept frames, by name.
    var bursts: [String: Int] {
        Dictionary(uniqueKeysWithValues: files.filter { $0.name.hasPrefix("bursts/") }.map { ($0.name, $0.size) })
    }
}
