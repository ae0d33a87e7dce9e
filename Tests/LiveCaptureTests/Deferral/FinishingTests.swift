// SPDX-License-Identifier: MIT
// Finals made later: the same picture as one made at once, and what happens when making it fails.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct FinishingTests {
    private let folder: PhotoFolder
    private let library: PhotoLibrary
    private let settings = PhotoSettings(quality: .merge, frames: 3, laterFrames: 1, format: .png, deferral: .required)

    init() throws {
        folder = try PhotoFolder()
        library = try PhotoLibrary(folder.file("library"))
    }

    private var finisher: PhotoFinisher {
        PhotoFinisher(library, threads: 2, level: nil, gate: nil, isLowPriority: false)
    }

    /// Takes a photo of a scene in a session.
    private func shoot(_ pixelFormat: PixelFormat, into library: PhotoLibrary?, _ settings: PhotoSettings) async throws
        -> Photo
    {
        let session = try fastSession(
            "object:frames=20,seed=5", size: FrameSize(width: 48, height: 32), pixelFormat: pixelFormat
        ) {
            ($0.library, $0.finishingDelay) = (library, nil)
            $0.threads = library == nil ? 1 : 3
        }
        defer { session.end() }
        let capture = session.photoOutput.capture(settings, at: .offset(.milliseconds(320)))
        session.begin()
        return try await capture.photo()
    }

    /// Compares the bytes, not only the pixels: nothing in the file shows that it was made later.
    @Test(arguments: [(PixelFormat.yuyv, PhotoQuality.balanced), (.mjpeg, .merge)])
    func theFinalIsThePhotoThatWouldHaveBeen(_ pixelFormat: PixelFormat, _ quality: PhotoQuality) async throws {
        var (settings, now) = (settings, settings)
        (settings.quality, now.quality, now.deferral) = (quality, quality, .never)
        let direct = try await shoot(pixelFormat, into: nil, now)
        let proxy = try await shoot(pixelFormat, into: library, settings)
        #expect(proxy.isProxy)
        let id = try #require(proxy.libraryID)
        guard case .finished(let photo, let account)? = try await finisher.finish() else {
            Issue.record("it was not finished")
            return
        }
        #expect(photo.id == id && photo.state == .finished && photo.format == .png)
        #expect(account.account.map(\.1.text) == direct.account.map(\.1.text))
        #expect(folder.bytes(String(photo.path.dropFirst(folder.path.count + 1))) == direct.bytes)
        #expect(try access(#require(proxy.file), F_OK) != 0)
        #expect(try await finisher.finish() == nil)
    }

    /// The session would rest for an hour first.
    @Test func aFinalThatSomebodyWaitsForIsMadeAtOnce() async throws {
        let proxy = try await shoot(.yuyv, into: library, settings)
        let id = try #require(proxy.libraryID)
        let library = library
        let session = try fastSession("object:frames=20,seed=5", size: FrameSize(width: 48, height: 32)) {
            $0.library = library
            $0.finishingDelay = .seconds(3600)
            $0.finishingGivesWay = false
        }
        defer { session.end() }
        var last: LibraryImage.Kind?
        for try await image in library.images(of: id) { last = image.kind }
        #expect(last == .final)
    }

    @Test func aPhotoWhoseFramesAreDamagedFailsByNameAndKeepsItsProxy() async throws {
        let proxy = try await shoot(.yuyv, into: library, settings)
        let id = try #require(proxy.libraryID)
        let burst = try #require(try library.frames(of: id).first?.burst)
        try folder.damage("library/bursts/\(burst).lcap", at: 4_000)
        guard case .failed(let photo, let reason)? = try await finisher.finish() else {
            Issue.record("it did not fail")
            return
        }
        #expect(photo.id == id && photo.state == .failed(reason: reason))
        #expect(reason.contains("wrong checksum"))
        #expect(try folder.isJPEG(photo.path))
        // It is tried again only if it is requested by its id.
        #expect(try await finisher.finish() == nil)
        guard case .failed? = try await finisher.finish(id) else {
            Issue.record("it did not fail again")
            return
        }
    }

    @Test func aPhotoThatEndsEveryProgramAtWorkOnItIsNotTriedForEver() async throws {
        let proxy = try await shoot(.yuyv, into: library, settings)
        let id = try #require(proxy.libraryID)
        // The state left by programs that were killed in the middle of it.
        for _ in 0..<3 {
            guard let claim = try library.claimUnfinished() else { return _ = Issue.record("it is not tried") }
            try library.beginAttempt(claim)
        }
        guard case .failed(let photo, let reason)? = try await finisher.finish() else {
            return _ = Issue.record("it did not fail")
        }
        #expect(photo.id == id && photo.state == .failed(reason: reason) && reason.contains("3 attempts"))
        #expect(try await library.verify().failed == [id: reason])
        #expect(try await finisher.finish() == nil)
        guard case .finished? = try await finisher.finish(id) else { return _ = Issue.record("it was not finished") }
    }

    @Test func workThatIsGivenUpIsNoAttempt() async throws {
        _ = try await shoot(.yuyv, into: library, settings)
        let gate = FinishingGate()
        gate.close()
        let givenUp = PhotoFinisher(library, threads: 1, level: nil, gate: gate, isLowPriority: false)
        for _ in 0..<4 { #expect(try await givenUp.finish() == nil) }
        guard case .finished? = try await finisher.finish() else { return _ = Issue.record("it was not finished") }
    }

    @Test func aPhotoThatNeedsMoreMemoryThanThereIsIsLeftForAnotherProcess() async throws {
        let id = try #require(try await shoot(.yuyv, into: library, settings).libraryID)
        let reported = Guarded<[PhotoID]>([])
        let need = Guarded(0)
        let budget = FinishingBudget(bytes: 100_000) { id, bytes in
            reported.withLock { $0.append(id) }
            need.withLock { $0 = bytes }
        }
        let poor = PhotoFinisher(library, threads: 1, level: nil, gate: nil, isLowPriority: false, budget: budget)
        for _ in 0..<2 { #expect(try await poor.finish() == nil) }
        #expect(reported.withLock { $0 } == [id])
        #expect(try await library.photo(id).state == .deferred)
        let enough = FinishingBudget(bytes: need.withLock { $0 }) { _, _ in }
        let rich = PhotoFinisher(library, threads: 1, level: nil, gate: nil, isLowPriority: false, budget: enough)
        guard case .finished? = try await rich.finish() else { return _ = Issue.record("it was not finished") }
    }

    /// It goes on to the others, and another machine may do better.
    @Test func aMachineWithTooLittleMemoryMarksNoPhotoAsFailed() async throws {
        var ids: [PhotoID] = []
        for _ in 0..<2 { ids.append(try #require(try await shoot(.yuyv, into: library, settings).libraryID)) }
        let small = PhotoFinisher(library, threads: 1, level: nil, gate: nil, isLowPriority: false, memory: 100_000)
        for id in ids {
            let error = #expect(throws: LibraryError.self) { try small.finish() }
            guard case .unfinishable(id, let reason)? = error else { return _ = Issue.record("\(error as Any)") }
            #expect(reason.contains("memory"))
        }
        #expect(try await small.finish() == nil)
        #expect(throws: LibraryError.self) { try small.finish(ids[0]) }
        #expect(try await library.photos().map(\.state) == [.deferred, .deferred])
        while try await finisher.finish() != nil {}
        #expect(try await library.photos().allSatisfy(\.state.isFinished))
    }

    @Test func aDiskThatIsFullLeavesItToBeFinished() async throws {
        _ = try await shoot(.yuyv, into: library, settings)
        var options = LibraryOptions()
        options.calls.write = { _, _ in
            errno = ENOSPC
            return -1
        }
        let full = try PhotoLibrary(folder.file("library"), options)
        #expect(throws: LibraryError.self) {
            try PhotoFinisher(full, threads: 1, level: nil, gate: nil, isLowPriority: false).finish()
        }
        #expect(try await library.photos().map(\.state) == [.deferred])
        guard case .finished? = try await finisher.finish() else {
            Issue.record("it was not finished")
            return
        }
    }

    /// A fault of one photo does not prevent others from being finished.
    @Test func aPhotoThatCannotBeFinishedKeepsNoOtherWaiting() async throws {
        for _ in 0..<2 { _ = try await shoot(.yuyv, into: library, settings) }
        var options = LibraryOptions()
        let calls = Atomic(0)
        options.calls.write = { descriptor, bytes in
            guard calls.add(1, ordering: .relaxed).oldValue > 0 else {
                errno = EIO
                return -1
            }
            return write(descriptor, bytes.baseAddress!, bytes.count)
        }
        let broken = try PhotoLibrary(folder.file("library"), options)
        let finisher = PhotoFinisher(broken, threads: 1, level: nil, gate: nil, isLowPriority: false)
        while try await finisher.finish() != nil {}
        #expect(try await Set(library.photos().map(\.state.isFinished)) == [true, false])
        while try await self.finisher.finish(library.photos().first { !$0.state.isFinished }?.id) != nil {}
        #expect(try await library.photos().allSatisfy(\.state.isFinished))
    }

    @Test func aSessionFinishesThemWhenItIsQuiet() async throws {
        _ = try await shoot(.yuyv, into: library, settings)
        let library = library
        let (session, script) = try scripted {
            ($0.library, $0.memory, $0.finishingDelay, $0.finishingGivesWay) = (library, 64 << 20, .zero, false)
        }
        session.begin()
        script.frames(0..<20)
        let capture = session.photoOutput.capture(settings, at: .at(moment(100)))
        let proxy = try #require(await capture.proxy())
        var finished: [PhotoID] = []
        for await event in session.events {
            if case .photoFinished(let photo) = event { finished.append(photo.id) }
            if finished.count == 2 { break }
        }
        #expect(finished.last == proxy.id)
        session.end()
        #expect(try await library.photos().map(\.state) == [.finished, .finished])
    }

    @Test func whenAllAreFinishedASessionRemovesFramesThatNoPhotoNeeds() async throws {
        _ = try await shoot(.yuyv, into: library, settings)
        let library = library
        let (session, _) = try scripted {
            ($0.library, $0.memory, $0.finishingDelay, $0.finishingGivesWay) = (library, 64 << 20, .zero, false)
            $0.cleanUp = CleanUpPolicy(budget: 0)
        }
        var reported: [SessionEvent] = []
        for await event in session.events {
            reported.append(event)
            if case .cleanedUp = event { break }
        }
        session.end()
        guard case .photoFinished(let photo)? = reported.first, case .cleanedUp(let report)? = reported.last else {
            Issue.record("told was \(reported)")
            return
        }
        #expect(reported.count == 2 && report.removedFiles == 1 && report.leftFiles == 0)
        #expect(try library.frames(of: photo.id).isEmpty)
        #expect(try await library.verify().problems.isEmpty)
    }

    @Test func withoutMemoryForItASessionLeavesThemAlone() async throws {
        let library = library
        let (session, _) = try scripted { ($0.library, $0.memory, $0.finishingDelay) = (library, 300_000, .zero) }
        #expect(session.photoOutput.isAutoDeferredPhotoDeliverySupported)
        session.end()
    }
}

extension PhotoState {
    fileprivate var isFinished: Bool { self == .finished }
}

extension PhotoFolder {
    /// Changes one bit of a file.
    func damage(_ name: String, at offset: Int) throws {
        let descriptor = open(file(name), O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        try #require(pread(descriptor, &byte, 1, offset) == 1)
        byte ^= 0x40
        try #require(pwrite(descriptor, &byte, 1, offset) == 1)
    }
}
