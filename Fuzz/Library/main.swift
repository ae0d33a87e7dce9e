// SPDX-License-Identifier: MIT
// Fuzzes the reading of a photo library's files: valid ones, with bytes changed as the input says.

import FuzzSupport
import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage

// Seven bytes of the input change four consecutive bytes of a library's files: three give the place, four the new
// values.
fuzz { bytes, count in
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    var files = Sound.library.files
    for change in stride(from: 0, to: count - 6, by: 7) {
        var at = (0..<3).reduce(0) { $0 << 8 | Int(input[change + $1]) } % Sound.library.byteCount
        for file in files.indices {
            for index in at..<(at + 4) where files[file].bytes.indices.contains(index) {
                files[file].bytes[index] = input[change + 3 + index - at]
            }
            at -= files[file].bytes.count
        }
    }
    let folder = ScratchFolder()
    Sound.write(files, to: folder.path)
    exercise(folder.path)
    return 0
}

/// Opens a library, reads all of it, and removes its photos. Errors are expected of hostile libraries.
private func exercise(_ path: String) {
    var options = LibraryOptions()
    options.patience = .zero
    options.calls = FileCalls(sync: { _ in 0 }, syncData: { _ in 0 })
    do throws(LibraryError) {
        let library = try PhotoLibrary(path, options)
        _ = try library.verify()
        for photo in try library.photos() {
            _ = ("\(photo.taken)", photo.lag, try library.account(of: photo.id), try library.thumbnail(of: photo.id))
            // A fault of one photo must not stop the test of the others.
            _ = try? library.frames(of: photo.id).map { try $0.bytes() }
            if let opened = try? library.openFile(of: photo.id, compared: true) {
                var status = stat()
                let isFile = fstat(opened.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                precondition(isFile && Int(status.st_size) == opened.photo.file.byteCount, "a photo is its file")
                close(opened.descriptor)
            }
            _ = try? library.copy(of: photo.id)
            try? library.remove(photo.id)
        }
        try library.cleanUp(CleanUpPolicy(budget: 0))
    } catch {
        _ = (error.message, error.hint, error.code)
    }
}

/// The files of a library before any change.
private struct Sound {
    typealias File = (place: String, bytes: [UInt8])
    /// The catalogue first, then all other files.
    let files: [File]
    let byteCount: Int

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
                    tap: .zero, reference: .zero, taken: CalendarTime(utcNanoseconds: 0), format: .jpeg,
                    size: format.size, qualityAsked: .quality, qualityGiven: .quality, thumbnail: [1, 2, 3])
                _ = try library.addFinished(photo, [1, 2, 3])
                _ = try library.addDeferred(photo, proxy: [4, 5], frames: [frame])
            }
            // The library is closed, so there is no log.
            var files = [("catalogue.sqlite", try wholeFile("\(folder.path)/catalogue.sqlite", atMost: 1 << 20)!)]
            for parent in ["photos/1970-01-01", "bursts"] {
                for name in fileNames(in: "\(folder.path)/\(parent)") where !name.hasPrefix(".") {
                    let place = "\(parent)/\(name)"
                    files.append((place, try wholeFile("\(folder.path)/\(place)", atMost: 1 << 20)!))
                }
            }
            self.files = files
            byteCount = files.reduce(0) { $0 + $1.1.count }
        } catch {
            fatalError("there is no library to begin with: \(error)")
        }
    }

    /// Writes the files into an empty folder.
    static func write(_ files: [File], to path: String) {
        for parent in ["photos", "photos/1970-01-01", "bursts"] { mkdir("\(path)/\(parent)", 0o700) }
        for (place, bytes) in files {
            let file = open("\(path)/\(place)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
            precondition(file >= 0, "no file in memory: errno \(errno)")
            _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }
}
