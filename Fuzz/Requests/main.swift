// SPDX-License-Identifier: MIT
// Fuzzes the requests of deferred photos, as a library returns them: parsing the text, and making the photo.

import FuzzSupport
import Glibc
import LivecapDeveloping
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage

// The input is the text of a request.
fuzz { bytes, count in
    let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    do throws(PhotoRequestFault) {
        let request = try PhotoRequest(text)
        let again = try PhotoRequest(request.text)
        precondition(again == request, "a request is lost when it is written")
        // The HEIC encoder takes most of a second, and keeps a few strings of its own in memory.
        if request.settings.format != .heic { Kept.frames.exercise(text, request.settings) }
    } catch {
        precondition(!error.reason.isEmpty, "a refusal says why")
    }
    return 0
}

/// A library with a few kept frames, which lasts as long as the program.
private final class Kept: Sendable {
    private let folder = ScratchFolder()
    private let library: PhotoLibrary
    private let photo: NewPhoto
    private let kept: [KeptFrame]

    static let frames = Kept()

    private init() {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 32, height: 16))
        photo = NewPhoto(
            tap: .zero, reference: .zero, taken: CalendarTime(utcNanoseconds: 0), format: .jpeg, size: format.size,
            qualityAsked: .quality, qualityGiven: .quality)
        do {
            var options = LibraryOptions()
            options.calls = FileCalls(sync: { _ in 0 }, syncData: { _ in 0 })
            library = try PhotoLibrary(folder.path, options)
            let burst = try library.openBurst(
                DumpHeader(
                    of: SourceDescription(name: "fuzz", identity: "fuzz", format: format, rate: nil, clock: .monotonic))
            )
            kept = try (0..<6).map { index in
                let pixels = (0..<format.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
                return try pixels.withUnsafeBytes {
                    try burst.append(
                        FrameMetadata(
                            time: Timestamp(nanoseconds: Int64(index) * 33_333_333), byteCount: $0.count,
                            id: FrameID(epoch: 0, counter: UInt64(index))), $0)
                }
            }
            // This photo keeps the rows of the frames while others come and go.
            _ = try library.addDeferred(photo, proxy: [1, 2], frames: kept)
        } catch {
            fatalError("there is no library to begin with: \(error)")
        }
        // An object that lives until the program ends is never deinitialised.
        atexit { ScratchFolder.remove(Kept.frames.folder.path) }
    }

    /// Adds a deferred photo with this request, develops it for other moments, finishes it, and removes it.
    func exercise(_ text: String, _ settings: PhotoSettings) {
        var photo = photo
        photo.request = text
        do {
            let id = try library.addDeferred(photo, proxy: [1, 2], frames: kept).id
            for steps in [-1, 1] {
                do throws(PhotoError) {
                    _ = try KeptBurst(of: id, in: library).photo(settings, movedBy: steps, threads: 1)
                } catch {
                    _ = (error.message, error.hint)
                }
            }
            guard try PhotoFinisher(library, threads: 1).finish(id) != nil else {
                fatalError("nobody else finishes it")
            }
            try library.remove(id)
        } catch {
            fatalError("the library fails: \(error)")
        }
    }
}
