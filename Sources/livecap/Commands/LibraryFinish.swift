// SPDX-License-Identifier: MIT
// `livecap library finish`: makes the finals of deferred photos.

import LiveCapture
import LivecapIntents
import LivecapPhotoStorage

/// Makes finals. A photo whose final is interrupted remains to be finished.
struct LibraryFinish {
    private let photos: LibraryPhotos
    private let policy: CleanUpPolicy
    private var library: PhotoLibrary { photos.library }

    /// Makes finals, and then removes the source frames that `policy` does not keep.
    init(_ photos: LibraryPhotos, _ policy: CleanUpPolicy) { (self.photos, self.policy) = (photos, policy) }

    /// Finishes the photos named, or all deferred ones, oldest first. Returns the exit status.
    func run(_ console: inout Console) throws(Failure) -> Int32 {
        let finisher = PhotoFinisher(library)
        var progress = Progress()
        var (done, failed) = (0, 0)
        func finishNext(_ id: PhotoID?, of total: Int, _ console: inout Console) throws(Failure) -> Bool {
            progress.show { "finishing photo \(min(done + failed + 1, total)) of \(total)" }
            let outcome: FinishingOutcome?
            do throws(LibraryError) { outcome = try finisher.finish(id) } catch {
                Progress.clearLine()
                failed += 1
                throw .library(error)
            }
            Progress.clearLine()
            switch outcome {
            case .finished(let photo, let account):
                done += 1
                if let words = photo.editWords { Console.note(words) }
                try report(photo, account, &console)
                try console.flush()
                return true
            case .failed(let photo, let reason):
                failed += 1
                throw .library(.unfinishable(photo.id, reason: reason))
            case nil: return false
            }
        }
        let status: Int32
        if photos.isNamed {
            let ids = try photos.named()
            status = try photos.each(ids, &console) { id, console throws(Failure) in
                guard try !finishNext(id, of: ids.count, &console) else { return }
                let photo = try consulting { () throws(LibraryError) in try library.photo(id) }
                if console.writesJSON { try console.print(.object(photo.members)) }
                Console.note("photo \(id) is already finished")
            }
        } else {
            status = try finishAll(&console, finishNext)
        }
        Console.note("\(counted(done, "photo")) finished\(failed > 0 ? ", \(failed) failed" : "")")
        let cleaned = try consulting { () throws(LibraryError) in try library.cleanUp(policy) }
        if cleaned.removedFiles > 0 || cleaned.removedPhotos > 0 { Console.note(cleaned.words) }
        return status
    }

    /// Finishes all deferred photos, including those added meanwhile. A photo that fails is no longer deferred.
    private func finishAll(
        _ console: inout Console, _ finishNext: (PhotoID?, Int, inout Console) throws(Failure) -> Bool
    ) throws(Failure) -> Int32 {
        let total = try consulting { () throws(LibraryError) in
            try library.photos(LibraryPage(limit: .max, unfinishedOnly: true)).count { $0.state == .deferred }
        }
        var status: Int32 = 0
        while true {
            do throws(Failure) {
                guard try finishNext(nil, total, &console) else { return status }
            } catch .library(.unfinishable(let id, let reason)) {
                let failure = Failure.library(.unfinishable(id, reason: reason))
                console.report(failure, photo: id, isHinting: status == 0)
                if status == 0 { status = failure.exitStatus }
            }
        }
    }

    private func report(_ photo: LibraryPhoto, _ account: Photo, _ console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(.object(photo.members + account.costs))
        } else {
            try console.print(
                "photo \(photo.id): \(photo.path), \(photo.qualityGiven.inWords), \(inBytes(photo.file.byteCount))")
        }
    }
}
