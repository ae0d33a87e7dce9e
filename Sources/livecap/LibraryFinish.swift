// SPDX-License-Identifier: MIT
// `livecap library finish`: finals of the photos that were left for later.

import JSONText
import LiveCapture
import PhotoLibrary

/// Makes finals. Ended in the midst of one, by whatever, that one is still to be finished.
struct LibraryFinish {
    private let library: PhotoLibrary
    private let policy: CleanUpPolicy

    /// Makes a library's finals, and then removes the source frames that by `policy` need not stay.
    init(_ library: PhotoLibrary, _ policy: CleanUpPolicy) { (self.library, self.policy) = (library, policy) }

    /// Finishes the photos named, or all that are left for later, the oldest first; what the program ends with.
    func run(_ ids: [PhotoID], _ console: inout Console) throws(Failure) -> Int32 {
        let finisher = PhotoFinisher(library)
        var progress = Progress()
        var (done, failed) = (0, 0)
        var first: Failure?
        func finishNext(_ id: PhotoID?, of total: Int, _ console: inout Console) throws(Failure) -> Bool {
            progress.show { "finishing photo \(min(done + failed + 1, total)) of \(total)" }
            let outcome = try consulting { () throws(LibraryError) in try finisher.finish(id) }
            Progress.clearLine()
            switch outcome {
            case .finished(let photo, let account):
                done += 1
                try tell(photo, account, &console)
            case .failed(let photo, let reason):
                failed += 1
                let failure = Failure.library(.unfinishable(photo.id, reason: reason))
                first = first ?? failure
                console.report(failure, isHinting: failed == 1)
            case nil: return false
            }
            try console.flush()
            return true
        }
        if ids.isEmpty {
            let total = try consulting { () throws(LibraryError) in
                try library.photos(LibraryPage(limit: .max, unfinishedOnly: true)).count { $0.state == .deferred }
            }
            while try finishNext(nil, of: total, &console) {}
        }
        for id in ids where try !finishNext(id, of: ids.count, &console) {
            let photo = try consulting { () throws(LibraryError) in try library.photo(id) }
            if console.writesJSON { try console.print(.object(photo.members)) }
            Console.tell("photo \(id) is finished already")
        }
        Console.tell("\(counted(done, "photo")) finished\(failed > 0 ? ", \(failed) failed" : "")")
        let cleaned = try consulting { () throws(LibraryError) in try library.cleanUp(policy) }
        if cleaned.removedFiles > 0 { Console.tell(cleaned.words) }
        return first?.exitStatus ?? 0
    }

    private func tell(_ photo: LibraryPhoto, _ account: Photo, _ console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(.object(photo.members + account.costs))
        } else {
            try console.print(
                "photo \(photo.id): \(photo.path), \(photo.qualityGiven), \(photo.file.byteCount / 1000) kB")
        }
    }
}
