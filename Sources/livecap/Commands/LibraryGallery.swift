// SPDX-License-Identifier: MIT
// `livecap library export --gallery`: photos as a folder that any browser shows.

import LivecapIntents
import LivecapPhotoStorage
import LivecapServing

/// Adds photos of a library to a gallery.
struct LibraryGallery {
    private let photos: LibraryPhotos
    private let path: String

    /// Adds photos to the gallery in a folder, which is made if it is missing.
    init(_ photos: LibraryPhotos, to path: String) { (self.photos, self.path) = (photos, path) }

    /// Adds the photos named, or all, and returns the exit status. A signal ends it after the photo that it is at; the
    /// page then shows those that are there.
    func run(_ interruption: Interruption, _ console: inout Console) throws(Failure) -> Int32 {
        let ids = try photos.named(orAll: true)
        let gallery = try creating { () throws(GalleryError) in try Gallery(path) }
        var progress = Progress()
        var (done, counts) = (0, [Gallery.Outcome: Int]())
        var ending: Failure?
        var status: Int32 = 0
        do throws(Failure) {
            status = try photos.each(ids, &console) { id, console throws(Failure) in
                if let signal = interruption.signal { throw .interrupted(signal: signal) }
                progress.show { "photo \(done + 1) of \(ids.count)" }
                done += 1
                let addition: Gallery.Addition
                do throws(Failure) {
                    addition = try creating { () throws(GalleryError) in try gallery.add(id, of: photos.library) }
                } catch {
                    Progress.clearLine()
                    throw error
                }
                counts[addition.outcome, default: 0] += 1
                if console.writesJSON { try console.print(addition.object) }
            }
        } catch { ending = error }
        Progress.clearLine()
        // What was added before is shown, whatever ended it.
        do throws(Failure) { try creating { () throws(GalleryError) in try gallery.finish() } } catch {
            throw ending ?? error
        }
        if let ending { throw ending }
        let (added, updated) = (counts[.added] ?? 0, counts[.updated] ?? 0)
        if console.writesJSON {
            try console.print(
                .object([
                    ("gallery", .string(gallery.page)), ("photos", JSON(gallery.count)), ("added", JSON(added)),
                    ("updated", JSON(updated)), ("unchanged", JSON(counts[.unchanged] ?? 0)),
                ]))
        } else {
            try console.print(gallery.page)
        }
        let renewed = updated > 0 ? ", \(updated) updated" : ""
        Console.note("\(counted(added, "photo")) added\(renewed); the gallery has \(gallery.count)")
        return status
    }
}

extension Gallery.Addition {
    fileprivate var object: JSON {
        .object([
            ("id", .integer(photo.id.number)), ("file", .string(path)), ("proxy", .bool(photo.isProxy)),
            ("bytes", JSON(photo.file.byteCount)), ("outcome", .string(outcome.rawValue)),
        ])
    }
}
