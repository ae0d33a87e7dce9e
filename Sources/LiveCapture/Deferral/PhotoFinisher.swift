// SPDX-License-Identifier: MIT
// Finals of photos whose proxies are in a library: made of the kept frames, in this process or in a later one.

import CSystem
import Camera
import Frames
import FusionKernels
import Glibc
import PhotoLibrary
import Synchronization
import Threads

/// What became of a photo that was to be finished.
public enum FinishingOutcome: Sendable {
    /// Its final is in the library.
    case finished(LibraryPhoto, Photo)
    /// Its final cannot be made, and the library says so; the proxy stays.
    case failed(LibraryPhoto, reason: String)
}

/// Makes finals, one at a time, at a priority below everything else.
///
/// Whatever ends the program in between, the photo is still to be finished, and will be the same: frames, request and kernels
/// decide each pixel, and nothing else does.
public final class PhotoFinisher: Sendable {
    private let library: PhotoLibrary
    private let threads: Int
    private let level: KernelLevel?
    private let gate: FinishingGate?
    /// Whether it works at a priority below everything else. Tests, which crowd the processors, have it wait for none of them.
    private let givesWay: Bool
    /// What it may take of memory; nil: as much as a photo needs.
    private let budget: FinishingBudget?

    /// A finisher of a library's photos, with so many threads at most.
    public convenience init(
        _ library: PhotoLibrary, threads: Int = ThreadPool.processors, level: KernelLevel? = nil
    ) {
        self.init(library, threads: threads, level: level, gate: nil)
    }

    init(
        _ library: PhotoLibrary, threads: Int, level: KernelLevel?, gate: FinishingGate?, givesWay: Bool = true,
        budget: FinishingBudget? = nil
    ) {
        self.budget = budget
        (self.library, self.threads, self.level, self.gate) = (library, threads, level, gate)
        self.givesWay = givesWay
    }

    /// Makes the final of a photo, also of one that failed before, or of the oldest that nobody is at. A photo whose earlier
    /// attempts ended with their processes (`PhotoLibrary.mostBrokenAttempts`) fails unless it is asked for. Nil where it is finished,
    /// or none is left; an error where the library, or the disk, has to be seen to first: the photo is still to be finished
    /// then. It takes its time: not for a thread that must not wait.
    public func finish(_ id: PhotoID? = nil) throws(LibraryError) -> FinishingOutcome? {
        while let claim = try library.claimUnfinished(id, besides: budget?.tooLarge ?? []) {
            if budget?.takes(claim) ?? true { return try finish(claim) }
        }
        return nil
    }

    /// Makes the final of a photo that is claimed.
    public func finish(_ claim: borrowing FinishingClaim) throws(LibraryError) -> FinishingOutcome? {
        guard claim.isAskedFor || claim.brokenAttempts < PhotoLibrary.mostBrokenAttempts else {
            return try failed(claim, "each of \(claim.brokenAttempts) attempts ended with the program at work on it")
        }
        try library.beginAttempt(claim)
        let photo: Photo
        do throws(PhotoError) {
            photo = try final(of: claim.photo.id, request(claim))
        } catch .cancelled {
            library.takeBackAttempt(claim)
            return nil
        } catch .notKept(let error) where error.isOfTheMoment {
            library.takeBackAttempt(claim)
            throw error
        } catch {
            return try failed(claim, error.message)
        }
        let finished: LibraryPhoto
        do throws(LibraryError) {
            finished = try library.finish(claim, photo.bytes, provenance: photo.provenance ?? "{}")
        } catch {
            if error.isOfTheMoment {
                library.takeBackAttempt(claim)
                throw error
            }
            // This photo's own fault, such as a place that is none: others can be finished all the same.
            return try failed(claim, error.message)
        }
        var told = photo
        (told.libraryID, told.file, told.bytes) = (finished.id, finished.path, [])
        return .finished(finished, told)
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
        let (source, frames) = try library.diskFrames(of: id, exposure: request.exposure)
        let (level, threads, gate, givesWay) = (level, threads, gate, givesWay)
        nonisolated(unsafe) let photosFrames = frames  // this thread waits until the other has ended
        let result = Mutex<Result<Photo, PhotoError>?>(nil)
        // A thread of its own: a priority once lowered cannot be raised again, and who holds the library's locks must not be
        // kept from the processor.
        func start() throws(SystemShortage) -> SystemThread {
            try SystemThread(name: "finish work") {
                if givesWay { _ = lc_thread_background() }
                let pool = GatedPool(ThreadPool(threads: threads), gate)
                let development = KeptDevelopment(
                    source: source, level: level, pause: { gate?.pause() }, isCancelled: { gate?.hasClosed ?? false })
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
    /// Whether another time it may go well with the same files, of this photo and of all others.
    fileprivate var isOfTheMoment: Bool {
        switch self {
        case .busy, .catalogueFailed: true
        // A failed sync says nothing of the photo, and is reported once.
        case .fileError(_, "fsync", EIO), .fileError(_, "fdatasync", EIO): true
        case .fileError(_, _, let reason):
            [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(reason)
        default: false
        }
    }
}

/// A pool whose parts wait while the processors are wanted.
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
    /// A photo's kept frames, and who took them.
    func diskFrames(
        of id: PhotoID, exposure: TimeSpan?
    ) throws(PhotoError) -> (source: SourceDescription, frames: [DiskFrame]) {
        do throws(LibraryError) {
            let stored = try frames(of: id)
            guard let header = stored.first?.header else {
                throw .unfinishable(id, reason: "its source frames are gone")
            }
            let frames = stored.map { frame in
                DiskFrame(metadata: frame.metadata) { () throws(PhotoError) in
                    do throws(LibraryError) { return try frame.bytes() } catch { throw .notKept(error) }
                }
            }
            let source = SourceDescription(
                name: header.name, identity: header.identity, format: header.format, rate: header.rate,
                clock: header.clock, exposure: exposure)
            // Two recordings of one session are of one format.
            guard stored.allSatisfy({ $0.header.format == header.format }) else {
                throw .damaged(path, detail: "the frames of photo \(id) are not of one stream")
            }
            return (source, frames)
        } catch { throw .notKept(error) }
    }
}
