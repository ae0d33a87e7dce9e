// SPDX-License-Identifier: MIT
// Fuzzes what the photo library reads of its catalogue: a sound one, with bytes changed where the input says.

import Camera
import DurableFiles
import Frames
import FuzzSupport
import Glibc
import PhotoLibrary

// Six bytes of the input change four bytes in a row of the catalogue: where, in two bytes, and what they become.
fuzz { bytes, count in
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    var catalogue = Sound.library.catalogue
    for change in 0..<(count / 6) {
        let at = Int(input.loadUnaligned(fromByteOffset: 6 * change, as: UInt16.self)) % (catalogue.count - 4)
        for index in 0..<4 { catalogue[at + index] = input[6 * change + 2 + index] }
    }
    let folder = ScratchFolder()
    Sound.library.write(to: folder.path, catalogue)
    exercise(folder.path)
    return 0
}

/// Opens a library, looks at all of it, and removes what it has. Errors are what hostile libraries are for.
private func exercise(_ path: String) {
    var options = LibraryOptions()
    options.patience = .zero
    options.calls = FileCalls(sync: { _ in 0 }, syncData: { _ in 0 })
    do throws(LibraryError) {
        let library = try PhotoLibrary(path, options)
        _ = try library.verify()
        for photo in try library.photos() {
            _ = ("\(photo.taken)", photo.lag, try library.account(of: photo.id), try library.thumbnail(of: photo.id))
            // What is wrong with one is no reason to spare the others.
            _ = try? library.frames(of: photo.id).map { try $0.bytes() }
            try? library.remove(photo.id)
        }
        try library.cleanUp(CleanUpPolicy(budget: 0))
    } catch {
        _ = (error.message, error.hint, error.code)
    }
}

/// A library's files as they were when nobody had changed them.
private struct Sound {
    let catalogue: [UInt8]
    private let others: [(place: String, bytes: [UInt8])]

    static let library = Sound()

    private init() {
        let folder = ScratchFolder()
        do {
            do {
                let library = try PhotoLibrary(folder.path)
                let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 8))
                let burst = try library.openBurst(
                    DumpHeader(
                        of: SourceDescription(name: "fuzz", identity: "fuzz", format: format, rate: nil, clock: .own)))
                let frame = try [UInt8](repeating: 9, count: format.byteCount).withUnsafeBytes {
                    try burst.append(FrameMetadata(time: .zero, byteCount: $0.count), $0)
                }
                let photo = NewPhoto(
                    tap: .zero, reference: .zero, taken: CalendarTime(utcNanoseconds: 0), suffix: ".jpg",
                    size: format.size, qualityAsked: "quality", qualityGiven: "quality", thumbnail: [1, 2, 3])
                _ = try library.addFinished(photo, [1, 2, 3])
                _ = try library.addDeferred(photo, proxy: [4, 5], frames: [frame])
            }
            // Closed, and so without a log.
            catalogue = try wholeFile("\(folder.path)/catalogue.sqlite", atMost: 1 << 20)!
            var others: [(place: String, bytes: [UInt8])] = []
            for parent in ["photos/1970-01-01", "bursts"] {
                for name in fileNames(in: "\(folder.path)/\(parent)") where !name.hasPrefix(".") {
                    let place = "\(parent)/\(name)"
                    others.append((place, try wholeFile("\(folder.path)/\(place)", atMost: 1 << 20)!))
                }
            }
            self.others = others
        } catch {
            fatalError("there is no library to begin with: \(error)")
        }
    }

    /// Writes them into an empty folder, with that catalogue.
    func write(to path: String, _ catalogue: [UInt8]) {
        for parent in ["photos", "photos/1970-01-01", "bursts"] { mkdir("\(path)/\(parent)", 0o700) }
        for (place, bytes) in others + [("catalogue.sqlite", catalogue)] {
            let file = open("\(path)/\(place)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
            precondition(file >= 0, "no file in memory: errno \(errno)")
            _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }
}

/// A folder in memory that goes with this value.
private struct ScratchFolder: ~Copyable {
    let path: String

    init() {
        var name = Array("/dev/shm/livecap-fuzz-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil, "no folder in memory: errno \(errno)")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in fileNames(in: path) where name != "." && name != ".." {
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
