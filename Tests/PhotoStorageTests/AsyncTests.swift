// SPDX-License-Identifier: MIT
// Disk work of the library leaves the actor of its caller.

import Foundation
import LivecapFiles
import Synchronization
import Testing

@testable import LivecapPhotoStorage

@MainActor @Suite struct AsyncTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    @Test("While a library waits for its turn to open, the caller's actor does other work")
    func openingSuspends() async throws {
        let library = try test.open()
        let lock = try library.folder.openLock()
        let hasTurn = lock.lock(at: 0)
        #expect(hasTurn)
        var options = LibraryOptions()
        options.patience = .seconds(600)
        var isOpening = false
        let opening = Task { @MainActor [path = test.path] in
            isOpening = true
            return try await PhotoLibrary.open(path, options)
        }
        // Only the suspension of that task lets this one go on and give the lock back.
        while !isOpening { await Task.yield() }
        release(lock)
        #expect(try await opening.value.photos().isEmpty)
    }

    private func release(_ lock: consuming LockFile) {}

    @Test("Reading, writing and removing are done on other threads")
    func otherThreads() async throws {
        let library = try test.open()
        var new = newPhoto()
        new.mask = [4, 5]
        let photo = try library.addFinished(new, [1, 2])
        let threads = Mutex<Set<String>>([])
        _ = try await library.verify { _ in
            threads.withLock { _ = $0.insert(threadName()) }
            return true
        }
        // By name: identifiers of threads that have ended are used again.
        #expect(threads.withLock { $0 } == ["library"])
        #expect(try await library.photo(photo.id) == photo)
        #expect(try await library.thumbnail(of: photo.id) == [1, 2, 3])
        #expect(try await library.mask(of: photo.id) == [4, 5])
        #expect(try await library.summary().photos == 1)
        try await library.remove(photo.id)
        await #expect(throws: LibraryError.noSuchPhoto(photo.id)) { try await library.photo(photo.id) }
    }
}

/// The name of the calling thread, as the kernel has it.
private func threadName() -> String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .newlines) ?? ""
}
