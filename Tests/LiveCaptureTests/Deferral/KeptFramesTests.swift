// SPDX-License-Identifier: MIT
// Storing frames in a library: full disks, and frames that cannot be decoded.

import Foundation
import Glibc
import LivecapFrames
import LivecapJPEG
import LivecapPhotoStorage
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct KeptFramesTests {
    private let folder: PhotoFolder
    private let settings = PhotoSettings(quality: .merge, frames: 4, deferral: .required)

    init() throws { folder = try PhotoFolder() }

    /// The disk is full from the `count`th write on: writes of the burst's file and its frames, then of the proxy.
    @Test(arguments: [1, 2, 5, 8]) func aFullDiskFailsTheShotAndNothingElse(count: Int) async throws {
        let left = Guarded(Int.max)
        var options = LibraryOptions()
        let write = options.calls.write
        options.calls.write = { descriptor, bytes in
            guard
                left.withLock({
                    $0 -= 1
                    return $0 > 0
                })
            else {
                errno = ENOSPC
                return -1
            }
            return write(descriptor, bytes)
        }
        let library = try PhotoLibrary(folder.file("library"), options)
        let driven = try HandDrivenDesk(library: library)
        driven.frames(0..<20)
        left.withLock { $0 = count }
        let shot = driven.tap(at: 100, settings)
        driven.work()
        let error = await shot.failure()
        guard case .notKept(.fileError(_, _, ENOSPC))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await library.photos().isEmpty)
        #expect(driven.isAtRest())

        left.withLock { $0 = .max }
        driven.frames(2000..<2020)
        let next = driven.tap(at: 20_100, settings)
        driven.work()
        let proxy = try #require(await next.proxy())
        #expect(try library.frames(of: proxy.id).map { try $0.bytes().count }.count == 4)
    }

    /// A photo made at once keeps its frames and those around them, and the picture is the same as without keeping
    /// them.
    @Test(arguments: [PhotoQuality.merge, .speed]) func framesOfAPhotoMadeAtOnceAreKept(quality: PhotoQuality)
        async throws
    {
        let library = try PhotoLibrary(folder.file("library"))
        var settings = PhotoSettings(
            quality: quality, frames: quality == .merge ? 3 : nil, format: .png, deferral: .never)
        var photos: [Photo] = []
        for keepsFrames in [false, true] {
            let driven = try HandDrivenDesk(library: library)
            driven.frames(0..<20)
            settings.keepsFrames = keepsFrames
            let shot = driven.tap(at: 100, settings)
            driven.work()
            photos.append(try await shot.photo())
            #expect(driven.isAtRest())
        }
        #expect(photos.map(\.keptFrames) == [0, 12])
        let kept = try library.frames(of: #require(photos[1].libraryID))
        // Eight frames up to the tap, and the four after it that had arrived.
        #expect(kept.map(\.metadata.id.counter).sorted() == Array(3...14))
        let bytes = try photos.map { try [UInt8](Data(contentsOf: URL(filePath: #require($0.file)))) }
        #expect(bytes[0] == bytes[1])
        let burst = try KeptBurst(of: #require(photos[1].libraryID), in: library)
        #expect(try burst.photo(settings, threads: 1).bytes == bytes[1])
        let later = try burst.photo(PhotoSettings(quality: .mean, frames: 4), movedBy: 4, threads: 1)
        #expect(later.used.map(\.frame.id.counter) == [11, 12, 13, 14])
        let earlier = try burst.photo(PhotoSettings(quality: .mean, frames: 4), movedBy: -3, threads: 1)
        #expect(earlier.reference.id.counter == 7)
    }

    /// A photo taken now can be developed again for a moment just after it. For this, two more frames are awaited, but
    /// not beyond the end of the stream.
    @Test(arguments: [0, 1, 2]) func framesAfterTheTapAreKept(following: Int) async throws {
        let library = try PhotoLibrary(folder.file("library"))
        let driven = try HandDrivenDesk(isFast: true, library: library)
        driven.frames(0..<11)
        let shot = driven.tap(
            at: 100, PhotoSettings(quality: .mean, frames: 2, deferral: .never, keepsFrames: true))
        driven.work()
        #expect(driven.places.hasPrefix("waiting 1"))
        driven.frames(11..<11 + following)
        driven.desk.streamEnded(nil)
        driven.work()
        let photo = try await shot.photo()
        #expect(photo.used.map(\.frame.id.counter) == [9, 10])
        let kept = try library.frames(of: #require(photo.libraryID))
        #expect(kept.map(\.metadata.id.counter).max() == UInt64(10 + following))
    }

    @Test func framesAreOnlyKeptInALibrary() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let error = await driven.tap(at: 100, PhotoSettings(quality: .mean, keepsFrames: true)).failure()
        guard case .badSettings? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// A photo whose frames cannot be kept is not announced.
    @Test(arguments: [2, 5]) func aFullDiskFailsAPhotoWithItsFrames(count: Int) async throws {
        let left = Guarded(Int.max)
        var options = LibraryOptions()
        let write = options.calls.write
        options.calls.write = { descriptor, bytes in
            left.withLock { $0 -= 1 }
            if left.withLock({ $0 }) > 0 { return write(descriptor, bytes) }
            errno = ENOSPC
            return -1
        }
        let library = try PhotoLibrary(folder.file("library"), options)
        let driven = try HandDrivenDesk(library: library)
        driven.frames(0..<20)
        left.withLock { $0 = count }
        let shot = driven.tap(at: 100, PhotoSettings(quality: .mean, deferral: .never, keepsFrames: true))
        driven.work()
        guard case .notKept(.fileError(_, _, ENOSPC))? = await shot.failure() else {
            Issue.record("it was announced")
            return
        }
        #expect(try await library.photos().isEmpty)
        #expect(driven.isAtRest())
    }

    /// If the frame nearest the tap cannot be decoded, both the proxy and the final show the next nearest.
    @Test func theProxyAndTheFinalShowTheSameFrame() async throws {
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 64, height: 48))
        let library = try PhotoLibrary(folder.file("library"))
        let driven = try HandDrivenDesk(format: format, library: library)
        let whole = try Self.jpeg(format.size)
        for number in 0..<20 {
            driven.frame(at: Double(10 * number), bytes: number == 10 ? Array(whole.prefix(whole.count / 3)) : whole)
        }
        let shot = driven.tap(at: 100, settings)
        driven.work()
        let proxy = try #require(await shot.proxy())
        #expect(proxy.photo.reference.id.counter == 9, "\(proxy.photo.rejected)")
        #expect(proxy.photo.notes == ["frame 0:10 cannot be decoded: the picture shows 0:9"])
        let final = try #require(try library.finishOne())
        #expect(final.reference.id == proxy.photo.reference.id)
        #expect(driven.isAtRest())
    }

    /// If none of a shot's frames can be decoded, a neighbour is shown, and kept as well.
    @Test func aNeighbourStandsIn() async throws {
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 64, height: 48))
        let library = try PhotoLibrary(folder.file("library"))
        let driven = try HandDrivenDesk(format: format, library: library)
        let whole = try Self.jpeg(format.size)
        for number in 0..<20 {
            let isBroken = (7...10).contains(number)
            driven.frame(at: Double(10 * number), bytes: isBroken ? Array(whole.prefix(whole.count / 3)) : whole)
        }
        let shot = driven.tap(at: 100, settings)
        driven.work()
        let proxy = try #require(await shot.proxy())
        #expect(proxy.photo.reference.id.counter == 11)
        #expect(try library.frames(of: proxy.id).map(\.metadata.id.counter) == [7, 8, 9, 10, 11, 6])
        let final = try #require(try library.finishOne())
        #expect(final.reference.id == proxy.photo.reference.id)
        #expect(driven.isAtRest())
    }

    @Test func aProxyIsNotOfAFrameFarAway() async throws {
        let format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 64, height: 48))
        let library = try PhotoLibrary(folder.file("library"))
        let driven = try HandDrivenDesk(format: format, library: library)
        let whole = try Self.jpeg(format.size)
        for number in 0..<20 { driven.frame(at: Double(10 * number), bytes: number > 7 ? try cut(whole) : whole) }
        let shot = driven.tap(at: 100, settings)
        driven.work()
        guard case .noneDecodes(_, let distance)? = await shot.failure(), distance == .milliseconds(30) else {
            return _ = Issue.record("a frame farther away stands in")
        }
        #expect(try await library.photos().isEmpty)
        #expect(driven.isAtRest())
    }

    private static func jpeg(_ size: FrameSize) throws -> [UInt8] {
        var encoder = try JPEGEncoder()
        let pixels = (0..<3 * size.area).map { UInt8(truncatingIfNeeded: ($0 / 24 % 2) * 90 + $0 % 5 + 60) }
        return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .s422, quality: 90) { picture in
            picture.withUnsafeBytes { Array($0) }
        }
    }
}

extension PhotoLibrary {
    /// Finishes the next deferred photo; nil if that fails.
    fileprivate func finishOne() throws -> Photo? {
        let finisher = PhotoFinisher(self, threads: 1, level: nil, gate: nil, isLowPriority: false)
        guard case .finished(_, let photo)? = try finisher.finish() else { return nil }
        return photo
    }
}
