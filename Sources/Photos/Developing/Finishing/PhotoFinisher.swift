// SPDX-License-Identifier: MIT
// Makes the finals of photos that have proxies in a library, from their kept frames, in this process or a later one.

import Fusion
import Glibc
import LivecapCSystem
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills
import LivecapThreads

/// The result of finishing a photo.
public enum FinishingOutcome: Sendable {
    /// The final is in the library.
    case finished(LibraryPhoto, Photo)
    /// The final cannot be made. The library records why, and keeps the proxy.
    case failed(LibraryPhoto, reason: String)
}

/// Makes the finals of deferred photos, one at a time, at a priority below everything else.
///
/// If the process ends before a final is stored, the photo remains to be finished, and its final will have the same
/// pixels: they depend on the frames, the request and the kernels only.
public final class PhotoFinisher: Sendable {
    private let library: PhotoLibrary
    private let threads: Int
    private let level: KernelLevel?
    private let gate: FinishingGate?
    /// Whether to work at a priority below everything else. Tests load the processors, so they turn it off to avoid
    /// waiting.
    private let isLowPriority: Bool
    /// Decides which photos to leave for another process.
    private let budget: FinishingBudget
    /// The memory there is for a photo, in bytes.
    private let memory: Int

    /// Creates a finisher for a library's photos that uses at most `threads` threads.
    public convenience init(
        _ library: PhotoLibrary, threads: Int = ThreadPool.processors, level: KernelLevel? = nil
    ) {
        self.init(library, threads: threads, level: level, gate: nil)
    }

    package init(
        _ library: PhotoLibrary, threads: Int, level: KernelLevel?, gate: FinishingGate?, isLowPriority: Bool = true,
        budget: FinishingBudget = FinishingBudget(bytes: .max) { _, _ in }, memory: Int = ThreadPool.physicalMemory
    ) {
        self.budget = budget
        self.memory = memory
        self.library = library
        self.threads = threads
        self.level = level
        self.gate = gate
        self.isLowPriority = isLowPriority
    }

    /// Makes the final of photo `id`, even if an earlier attempt failed; without `id`, of the oldest deferred photo
    /// that nothing else is finishing. Returns nil if the photo is already finished, or if none is left.
    ///
    /// A photo fails if `PhotoLibrary.maxBrokenAttempts` earlier attempts ended with their process, unless it is asked
    /// for by `id`. An error means that the library, the disk or this machine's memory needs attention first; the photo
    /// then remains to be finished. A photo that takes more memory than there is is skipped from then on.
    ///
    /// This takes seconds, on a thread of its own.
    /// - Throws: what is wrong with the library, the disk or this machine's memory.
    public func finish(_ id: PhotoID? = nil) async throws(LibraryError) -> FinishingOutcome? {
        try await onThread(named: "finish") { () throws(LibraryError) in try self.finish(id) }
    }

    /// Makes it on the calling thread.
    package func finish(_ id: PhotoID? = nil) throws(LibraryError) -> FinishingOutcome? {
        while let claim = try library.claimUnfinished(id, besides: budget.tooLarge) {
            if id != nil || budget.takes(claim, of: format(of: claim)) { return try finish(claim) }
        }
        return nil
    }

    /// Makes the final of a claimed photo. Returns nil if the session ends meanwhile.
    package func finish(_ claim: borrowing FinishingClaim) throws(LibraryError) -> FinishingOutcome? {
        guard claim.isExplicit || claim.brokenAttempts < PhotoLibrary.maxBrokenAttempts else {
            return try failed(claim, "each of \(claim.brokenAttempts) attempts ended with the program at work on it")
        }
        try library.beginAttempt(claim)
        let photo: Photo
        do throws(PhotoError) {
            photo = try final(of: claim.photo.id, request(claim))
        } catch .cancelled {
            library.takeBackAttempt(claim)
            return nil
        } catch .notKept(let error) where error.isTransient {
            library.takeBackAttempt(claim)
            throw error
        } catch let error where error.isOfThisMachine {
            // The photo is not at fault: another machine may finish it.
            library.takeBackAttempt(claim)
            budget.leave(claim.photo.id)
            throw .unfinishable(claim.photo.id, reason: error.message)
        } catch {
            return try failed(claim, error.message)
        }
        let finished: LibraryPhoto
        do throws(LibraryError) {
            let bytes = withMovie(of: claim.photo, photo.bytes)
            finished = try library.finish(
                claim, bytes, provenance: photo.provenance ?? "{}", mask: photo.mask)
        } catch {
            if error.isTransient {
                library.takeBackAttempt(claim)
                throw error
            }
            // The fault is this photo's own, such as an invalid path: other photos can still be finished.
            return try failed(claim, error.message)
        }
        var announced = photo
        (announced.libraryID, announced.file, announced.bytes) = (finished.id, finished.path, [])
        announced.byteCount = finished.file.byteCount
        return .finished(finished, announced)
    }

    /// A final with the movie that its proxy has. If the proxy is damaged, it has none.
    private func withMovie(of proxy: LibraryPhoto, _ final: [UInt8]) -> [UInt8] {
        guard proxy.isProxy, let bytes = try? library.bytes(of: proxy.file), let found = MotionPhoto(bytes) else {
            return final
        }
        return MotionPhoto.file(final, movie: Array(bytes[found.movie]), moment: found.moment ?? .zero) ?? final
    }

    /// The format of a photo's frames. If they cannot be read, the photo will fail by that, whatever memory it takes.
    private func format(of claim: borrowing FinishingClaim) -> FrameFormat {
        (try? library.frames(of: claim.photo.id))?.first?.header.format
            ?? FrameFormat(pixelFormat: .yuyv, size: claim.photo.size)
    }

    private func failed(
        _ claim: borrowing FinishingClaim, _ reason: String
    ) throws(LibraryError) -> FinishingOutcome {
        try library.fail(claim, reason: reason)
        return .failed(try library.photo(claim.photo.id), reason: reason)
    }

    private func request(_ claim: borrowing FinishingClaim) throws(PhotoError) -> PhotoRequest {
        do throws(PhotoRequestFault) { return try PhotoRequest(claim.account.request) } catch {
            throw .unprocessed("what is kept of its settings cannot be used: \(error.reason)")
        }
    }

    private func final(of id: PhotoID, _ request: PhotoRequest) throws(PhotoError) -> Photo {
        let (source, frames) = try library.diskFrames(of: id, manual: request.manual)
        let (level, threads, gate, isLowPriority) = (level, threads, gate, isLowPriority)
        let memory = min(memory, KeptDevelopment.memory(besideThreads: threads))
        nonisolated(unsafe) let photosFrames = frames  // this thread waits until the other has ended
        let result = Guarded<Result<Photo, PhotoError>?>(nil)
        // On a thread of its own: a lowered priority cannot be raised again, and this thread, which holds the library's
        // locks, must not be kept from the processor.
        func start() throws(SystemShortage) -> SystemThread {
            try SystemThread(name: "finish work") {
                if isLowPriority { _ = lc_thread_background() }
                let pool = GatedPool(ThreadPool(threads: threads), gate)
                let development = KeptDevelopment(
                    source: source, level: level, memory: memory, pause: { gate?.pause() },
                    isCancelled: { gate?.hasClosed ?? false })
                let made: Result<Photo, PhotoError>
                do throws(PhotoError) { made = .success(try development.photo(of: request, photosFrames, pool)) } catch
                {
                    made = .failure(error)
                }
                result.withLock { $0 = made }
            }
        }
        do throws(SystemShortage) { try start().join() } catch {
            throw .notKept(.fileError(library.path, call: error.call, errno: error.errno))
        }
        guard let made = result.withLock({ $0 }) else { preconditionFailure("the thread has ended") }
        return try made.get()
    }
}

extension LibraryError {
    /// Whether the error may be temporary: the same files may succeed at another time, for this photo and all others.
    fileprivate var isTransient: Bool {
        switch self {
        case .busy, .catalogueFailed: true
        // A failed sync says nothing about the photo, and the kernel reports it only once.
        case .fileError(_, "fsync", EIO), .fileError(_, "fdatasync", EIO): true
        case .fileError(_, _, let reason):
            [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(reason)
        default: false
        }
    }
}

/// A pool whose parts wait while shots need the processors.
private struct GatedPool: FusionPool {
    private let pool: ThreadPool
    private let gate: FinishingGate?
    var threads: Int { pool.threads }

    init(_ pool: ThreadPool, _ gate: FinishingGate?) { (self.pool, self.gate) = (pool, gate) }

    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard let gate else { return pool.run(count, body) }
        pool.run(count) { part in
            gate.pause()
            body(part)
        }
    }
}

extension PhotoLibrary {
    /// A photo's kept frames, and the source that delivered them.
    func diskFrames(
        of id: PhotoID, manual: ManualSettings?
    ) throws(PhotoError) -> (source: SourceDescription, frames: [UnreadFrame]) {
        do throws(LibraryError) {
            let stored = try frames(of: id)
            guard let header = stored.first?.header else {
                throw .unfinishable(id, reason: "its source frames are gone")
            }
            let frames = stored.map { frame in
                var metadata = frame.metadata
                metadata.manual = manual ?? ManualSettings()
                return UnreadFrame(metadata) { () throws(PhotoError) in
                    do throws(LibraryError) { return try frame.bytes() } catch { throw .notKept(error) }
                }
            }
            let source = SourceDescription(
                name: header.name, identity: header.identity, format: header.format, rate: header.rate,
                clock: header.clock)
            // Two recordings of one session have the same format.
            guard stored.allSatisfy({ $0.header.format == header.format }) else {
                throw .damaged(path, detail: "the frames of photo \(id) are not of one stream")
            }
            return (source, frames)
        } catch { throw .notKept(error) }
    }
}

extension PhotoError {
    /// Whether the photo can be made on a machine with more memory, or with the library that this one lacks.
    fileprivate var isOfThisMachine: Bool {
        switch self {
        case .tooLittleMemory, .noEncoder, .noEffects: true
        default: false
        }
    }
}
