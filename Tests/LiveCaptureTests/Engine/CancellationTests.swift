// SPDX-License-Identifier: MIT
// Cancelling a shot at every stage: it fails as cancelled, holds nothing, and does not affect other shots.

import LivecapFiles
import LivecapFrames
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct CancellationTests {
    private let driven: HandDrivenDesk

    init() throws {
        driven = try HandDrivenDesk()
        driven.frames(0..<20)
    }

    @Test func beforeItsMoment() async {
        let shot = driven.tap(at: 500)
        let other = driven.tap(at: 100)
        #expect(driven.places == "waiting 1, reading 1, ready 0, in work 0")
        shot.cancel()
        driven.work()
        #expect(await shot.story() == "cancelled")
        #expect(await other.story() == "begin captured photo")
        #expect(driven.isAtRest())
    }

    @Test func whileItsLaterFramesAreWaitedFor() async {
        let shot = driven.tap(at: 190, PhotoSettings(quality: .mean, laterFrames: 3))
        #expect(driven.places == "waiting 1, reading 0, ready 0, in work 0")
        shot.cancel()
        #expect(await shot.story() == "begin cancelled")
        #expect(driven.isAtRest())
    }

    @Test func whileItWaitsForRoom() async throws {
        let driven = try HandDrivenDesk(shots: 1)
        driven.frames(0..<20)
        let (first, second, third) = (driven.tap(at: 50), driven.tap(at: 100), driven.tap(at: 150))
        #expect(driven.places == "waiting 2, reading 1, ready 0, in work 0")
        second.cancel()
        driven.work()
        #expect(await second.story() == "cancelled")
        #expect(await first.story() == "begin captured photo")
        #expect(await third.story() == "begin captured photo")
        #expect(driven.isAtRest())
    }

    @Test func whileItsFramesAreRead() async throws {
        let shot = driven.tap(at: 100, PhotoSettings(quality: .mean, frames: 3))
        let job = try #require(driven.takeJob())
        shot.cancel()
        #expect(await shot.story() == "begin captured cancelled")
        driven.perform(job)
        #expect(driven.takeJob() == nil)
        // As the worker's thread would when it continues.
        _ = consume job
        #expect(driven.isAtRest())
    }

    @Test func whileFramesItSharesAreRead() async throws {
        let shot = driven.tap(at: 100, PhotoSettings(quality: .mean, frames: 4))
        let other = driven.tap(at: 110, PhotoSettings(quality: .mean, frames: 4))
        do {
            let job = try #require(driven.takeJob())
            shot.cancel()
            driven.perform(job)
        }
        driven.work()
        #expect(await shot.story() == "begin captured cancelled")
        let photo = try await other.photo()
        #expect(photo.used.map(\.frame.id.counter) == [8, 9, 10, 11])
        #expect(driven.isAtRest())
    }

    @Test func whileItWaitsForAWorker() async {
        let shot = driven.tap(at: 100)
        driven.read()
        #expect(driven.places == "waiting 0, reading 0, ready 1, in work 0")
        shot.cancel()
        #expect(await shot.story() == "begin captured cancelled")
        #expect(driven.isAtRest())
    }

    @Test func whileItIsDeveloped() async throws {
        let shot = driven.tap(at: 100)
        driven.read()
        do {
            let job = try #require(driven.takeJob())
            #expect(driven.places == "waiting 0, reading 0, ready 0, in work 1")
            shot.cancel()
            driven.perform(job)
        }
        #expect(await shot.story() == "begin captured cancelled")
        #expect(driven.isAtRest())
    }

    /// Cancelled while it is written or flushed: there is no file, and nothing temporary.
    @Test(arguments: ["write", "fsync"]) func whileItIsStored(at call: String) async throws {
        let folder = try PhotoFolder()
        let given = Guarded<PhotoCapture?>(nil)
        var calls = FileCalls()
        let (write, sync) = (calls.write, calls.sync)
        if call == "write" {
            calls.write = {
                given.withLock { $0 }?.cancel()
                return write($0, $1)
            }
        } else {
            calls.sync = {
                given.withLock { $0 }?.cancel()
                return sync($0)
            }
        }
        let files = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls)
        let shot = driven.tap(at: 100, into: files)
        given.withLock { $0 = shot }
        driven.work()
        #expect(await shot.story() == "begin captured cancelled")
        #expect(folder.names.isEmpty)
        #expect(driven.isAtRest())
    }

    @Test func tooLateWhenItsFileHasItsName() async throws {
        let folder = try PhotoFolder()
        let given = Guarded<PhotoCapture?>(nil)
        var calls = FileCalls()
        let rename = calls.rename
        calls.rename = {
            defer { given.withLock { $0 }?.cancel() }
            return rename($0, $1, $2)
        }
        let files = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls)
        let shot = driven.tap(at: 100, into: files)
        given.withLock { $0 = shot }
        driven.work()
        #expect(await shot.story() == "begin captured photo")
        #expect(folder.names == ["a.jpg"])
    }

    @Test func twiceAndWhenItIsDone() async {
        let shot = driven.tap(at: 100)
        driven.work()
        shot.cancel()
        shot.cancel()
        #expect(await shot.story() == "begin captured photo")
    }
}
