// SPDX-License-Identifier: MIT
// Deferred shots: their proxies, their kept frames, and that nothing is lost.

import Glibc
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct DeferredShotTests {
    private let folder: PhotoFolder
    private let library: PhotoLibrary
    private let settings = PhotoSettings(quality: .quality, frames: 4, deferral: .required)

    init() throws {
        folder = try PhotoFolder()
        library = try PhotoLibrary(folder.file("library"))
    }

    private func driven(shots: Int = 8, frames: Int = 20) throws -> HandDrivenDesk {
        let driven = try HandDrivenDesk(shots: shots, library: library)
        driven.frames(0..<frames)
        return driven
    }

    @Test func aProxyIsAnnouncedAndItsFramesAreKept() async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        driven.work()
        let proxy = try #require(await shot.proxy())
        #expect(proxy.photo.isProxy && proxy.photo.qualityAsked == .quality && proxy.photo.qualityGiven == .speed)
        #expect(proxy.photo.reference.id.counter == 10)
        #expect(try folder.isJPEG(#require(proxy.photo.file)))

        let kept = try await library.photo(proxy.id)
        #expect(kept.state == .deferred && kept.qualityGiven == .quality && kept.path == proxy.photo.file)
        let frames = try library.frames(of: proxy.id)
        #expect(frames.map(\.metadata.id.counter) == [7, 8, 9, 10])
        for frame in frames {
            let number = Int(frame.metadata.id.counter)
            #expect(
                try frame.bytes() == HandFilledRing.picture(number: number, byteCount: HandFilledRing.format.byteCount))
        }
        #expect(try await library.thumbnail(of: proxy.id)?.starts(with: [0xFF, 0xD8]) == true)
        #expect(driven.isAtRest())
    }

    /// Shots whose frames have arrived are numbered by moment, even if the last of them is stored first.
    @Test func photosAreNumberedByMoment() async throws {
        let driven = try driven()
        let plain = PhotoSettings(quality: .speed)
        let shots = [150.0, 100, 120, 50].map { driven.tap(at: $0, plain) }
        shots[2].cancel()
        driven.work()
        var numbers: [Int64?] = []
        for shot in [shots[0], shots[1], shots[3]] { numbers.append(try await shot.photo().libraryID?.number) }
        #expect(numbers == [3, 2, 1])
        #expect(try await library.photos().count == 3)
        let later = driven.tap(at: 160, plain)
        driven.work()
        #expect(try await later.photo().libraryID?.number == 4)
    }

    @Test func eventsEndWithTheProxy() async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        driven.work()
        #expect(await shot.story() == "begin captured proxy")
    }

    @Test func learntFinalTimesDecideDeferral() async throws {
        let driven = try driven()
        let automatic = PhotoSettings(quality: .quality, frames: 4)
        func story() async -> String {
            let shot = driven.tap(at: 100, automatic)
            driven.work()
            return await shot.story()
        }
        #expect(await story() == "begin captured proxy")
        let finisher = PhotoFinisher(library, threads: 1, level: .portable, gate: nil, isLowPriority: false)
        guard case .finished(let photo, var account)? = try await finisher.finish() else {
            Issue.record("it was not finished")
            return
        }
        // Plausible times, so that the speed of this machine does not matter.
        account.fusion?.stages = [.init(.align, .milliseconds(1)), .init(.merge, .milliseconds(2))]
        driven.desk.learn(final: account, of: FrameSize(width: 4096, height: 2160))
        #expect(await story() == "begin captured proxy")
        driven.desk.learn(final: account, of: photo.size)
        #expect(driven.desk.state.withLock { $0.estimates.times.fusing[.quality] } == .milliseconds(3))
        #expect(await story() == "begin captured photo")
    }

    @Test func framesThatShotsShareAreKeptOnce() async throws {
        let driven = try driven()
        let shots = [driven.tap(at: 100, settings), driven.tap(at: 120, settings)]
        driven.work()
        // One more, after the others are done and their frames have left the shelf.
        let last = driven.tap(at: 130, settings)
        driven.work()
        var bursts: Set<BurstID> = []
        for shot in shots + [last] {
            let proxy = try #require(await shot.proxy())
            bursts.formUnion(try library.frames(of: proxy.id).map(\.burst))
        }
        let burst = try #require(bursts.first)
        #expect(bursts.count == 1)
        let dump = try DumpReader(folder.file("library/bursts/\(burst).lcap"))
        // The later frames of one shot are kept before the earlier ones of the next.
        #expect((0..<dump.frameCount).map { dump.metadata($0).id.counter }.sorted() == Array(7...13))
    }

    /// Eight frames each. Both shots are on their way together, because only their references take room on the shelf.
    @Test func deferredShotsHoldOnlyTheirReferences() async throws {
        let driven = try driven()
        let many = PhotoSettings(quality: .quality, frames: 8, deferral: .required)
        let shots = [driven.tap(at: 75, many), driven.tap(at: 150, many)]
        driven.read()
        #expect(driven.places == "waiting 0, reading 0, ready 2, in work 0")
        #expect(driven.desk.state.withLock { $0.frames.shelf.roomTaken } == 2)
        driven.work()
        for shot in shots { #expect(await shot.story() == "begin captured proxy") }
        #expect(driven.isAtRest())
    }

    @Test func leasesGoWhenTheFramesAreKept() async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        driven.read()
        #expect(driven.hand.isFree(from: 1000))
        driven.work()
        #expect(await shot.story() == "begin captured proxy")
    }

    @Test(arguments: [0, 3]) func givenUpWhileItsFramesAreKept(after jobs: Int) async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        let other = driven.tap(at: 110, settings)
        for _ in 0..<jobs { driven.perform(try #require(driven.takeJob())) }
        shot.cancel()
        driven.work()
        #expect(await shot.story() == "begin captured cancelled")
        #expect(await other.story() == "begin captured proxy")
        #expect(try await library.photos().count == 1)
        #expect(driven.isAtRest())
    }

    @Test func givenUpWhileItsProxyIsMade() async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        driven.read()
        let job = try #require(driven.takeJob())
        shot.cancel()
        driven.perform(job)
        _ = consume job
        #expect(await shot.story() == "begin captured cancelled")
        #expect(try await library.photos().isEmpty)
        #expect(driven.isAtRest())
    }

    @Test func tooLateWhenTheLibraryHasIt() async throws {
        let driven = try driven()
        let shot = driven.tap(at: 100, settings)
        driven.work()
        while driven.desk.shotsInProgress > 0 { sched_yield() }
        shot.cancel()
        #expect(await shot.story() == "begin captured proxy")
        #expect(try await library.photos().count == 1)
    }

    @Test func onlyWhatIsWorthItIsLeftForLater() async throws {
        let driven = try driven()
        let shots = [PhotoQuality.quality, .balanced, .speed, .mean].map {
            driven.tap(at: 100, PhotoSettings(quality: $0))
        }
        driven.work()
        var stories: [String] = []
        for shot in shots { stories.append(await shot.story()) }
        #expect(stories == ["proxy", "photo", "photo", "photo"].map { "begin captured \($0)" })
        #expect(
            try await library.photos().map(\.state.name).sorted() == ["deferred", "finished", "finished", "finished"])
    }

    @Test func theSwitchLeavesTheDecisionToTheSettings() async throws {
        let driven = try driven()
        driven.desk.changeSwitches { $0.isDeferring = false }
        let shots = [DeferralPreference.automatic, .never, .required].map {
            driven.tap(at: 100, PhotoSettings(quality: .quality, frames: 4, deferral: $0))
        }
        driven.work()
        var stories: [String] = []
        for shot in shots { stories.append(await shot.story()) }
        #expect(stories == ["photo", "photo", "proxy"].map { "begin captured \($0)" })
    }

    @Test func aFileOfItsOwnIsNotForTheLibrary() async throws {
        let driven = try driven()
        let files = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false)
        let shot = driven.tap(at: 100, PhotoSettings(quality: .quality, frames: 4), into: files)
        let other = driven.tap(at: 100, settings, into: files)
        driven.work()
        #expect(await shot.story() == "begin captured photo")
        #expect(await other.story() == "bad-settings")
        #expect(try await library.photos().isEmpty)
        #expect(folder.names == ["a.jpg", "library"])
    }
}

extension PhotoFolder {
    /// Whether a file begins like a JPEG.
    func isJPEG(_ path: String) throws -> Bool {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        return getc(file) == 0xFF && getc(file) == 0xD8
    }
}
