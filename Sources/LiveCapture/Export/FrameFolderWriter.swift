// SPDX-License-Identifier: MIT
// Writes a folder of numbered pictures: JPEG frames unchanged, others as PNG.

import Fusion
import Glibc
import LivecapDeveloping
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapJPEG
import LivecapStills

/// Writes one picture per frame, each complete under its name. Numbers count all frames from 1, including those left
/// out.
final class FrameFolderWriter: FrameWriter {
    private let files: PhotoFiles
    private let folder: String
    /// Whether the folder was created here, and is removed again if it stays empty.
    private let isNew: Bool
    private var encoder: PictureEncoder
    private let settings: PhotoSettings
    private var number = 0
    private var written = 0
    private(set) var byteCount = 0

    init(_ path: String, _ format: FrameFormat, overwrite: Bool) throws(FrameFileError) {
        if OutputTarget(path) == .stream {
            throw .badSettings(
                "one picture per frame needs a folder, and \(path) is \(path == "-" ? "standard output" : "a stream")",
                hint: "name a folder, DIR/, or write y4m, mkv or mjpg there")
        }
        let kind: StillFormat = format.pixelFormat.isJPEG ? .jpeg : .png
        let folder = path.lastIndex { $0 != "/" }.map { String(path[...$0]) } ?? "/"
        let isNew = mkdir(folder, 0o777) == 0
        guard isNew || errno == EEXIST else { throw .failed(path, call: "mkdir", errno: errno) }
        self.folder = folder
        self.isNew = isNew
        settings = PhotoSettings(quality: .single, format: kind)
        do throws(FrameFileError) {
            let prefix = folder == "/" ? "/" : "\(folder)/"
            files = try FrameFileError.wrapping { () throws(FileError) in
                try PhotoFiles(
                    "\(prefix)%06d\(kind.suffix)", kind, count: .max, mayReplace: overwrite, isExact: true)
            }
            encoder = try Self.encoder(format)
        } catch {
            if isNew { unlinkat(AT_FDCWD, folder, AT_REMOVEDIR) }
            throw error
        }
    }

    private static func encoder(_ format: FrameFormat) throws(FrameFileError) -> PictureEncoder {
        do throws(PhotoError) { return try PictureEncoder(format, ThreadPool(threads: 1)) } catch {
            throw .noMemory(bytes: 1 << 20)
        }
    }

    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(FrameFileError) -> Bool {
        number += 1
        guard frame.isUsable else { return false }
        let picture: [UInt8]
        do throws(PhotoError) { picture = try encoder.encode(frame: bytes, settings, PhotoMetadata()) } catch {
            return false
        }
        _ = try FrameFileError.wrapping { () throws(FileError) in try files.write(picture, number: number) }
        byteCount += picture.count
        written += 1
        return true
    }

    func flush() throws(FrameFileError) {}
    func finish() throws(FrameFileError) {}
    func cut() -> Int { written }
    // Every picture in the folder is complete, and a folder that contains any stays.
    func discard() { if isNew { unlinkat(AT_FDCWD, folder, AT_REMOVEDIR) } }
}
