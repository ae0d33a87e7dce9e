// SPDX-License-Identifier: MIT
// Stores a session's photos and kept frames in its library.

import LivecapDeveloping
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills
import LivecapThreads

/// Puts one session's photos, and the frames kept of them, into a library. Any thread may use it.
final class Archive: Sendable {
    let library: PhotoLibrary
    /// Assigns numbers to the session's photos.
    let numbering = PhotoNumbering()
    private let source: SourceDescription
    /// Opened when the first frame is kept.
    private let burst = Guarded<BurstWriter?>(nil)

    init(_ library: PhotoLibrary, _ source: SourceDescription) { (self.library, self.source) = (library, source) }

    /// Keeps a frame as the driver delivered it. The shelf asks for each frame once, however many shots need it.
    func keep(_ frame: FrameMetadata, _ bytes: RawSpan) throws(LibraryError) -> KeptFrame {
        let writer = try burst.withLock { burst throws(LibraryError) in
            let writer = if let burst { burst } else { try library.openBurst(DumpHeader(of: source)) }
            burst = writer
            return writer
        }
        return try bytes.withUnsafeBytes { bytes throws(LibraryError) in try writer.append(frame, bytes) }
    }

    /// Frees the room of frames that were kept for photos that do not have them after all.
    func cutBack() { burst.withLock { $0 }?.cutBack() }

    /// Adds a photo, or the proxy of a deferred one, together with its kept frames, and sets the library's fields of
    /// `photo`. All of it is durable when this returns.
    func add(
        _ photo: inout Photo, _ request: PhotoRequest, _ kept: [KeptFrame], isProxy: Bool
    ) throws(LibraryError) -> LibraryPhoto {
        var new = NewPhoto(
            tap: photo.tap, reference: photo.reference.time, taken: request.taken(at: photo.reference.time),
            format: request.settings.format,
            size: request.settings.metadata.orientation.shown(source.format.size), qualityAsked: photo.qualityAsked,
            qualityGiven: isProxy ? request.quality : photo.qualityGiven, request: request.text,
            provenance: photo.provenance ?? "{}", thumbnail: photo.thumbnail)
        new.mask = photo.mask
        new.group = photo.group
        new.number = try numbering.number(of: photo.shot, in: library)
        let added =
            if isProxy { try library.addDeferred(new, proxy: photo.bytes, frames: kept) } else {
                try library.addFinished(new, photo.bytes, frames: kept)
            }
        (photo.libraryID, photo.file, photo.bytes) = (added.id, added.path, [])
        photo.keptFrames = kept.count
        return added
    }
}

extension PhotoRequest {
    /// The calendar time of a moment on the source's clock; the present time if that is unknown.
    func taken(at moment: Timestamp) -> CalendarTime {
        settings.metadata.time ?? wallTime?.advanced(by: moment - tap) ?? CalendarTime(wall: .now)
    }
}
