// SPDX-License-Identifier: MIT
// Writes a folder of numbered pictures: JPEG frames unchanged, others as PNG.

import Camera
import Frames
import FusionKernels
import Glibc
import JPEG
import Stills

/// Writes one picture per frame, each complete under its name. Numbers count all frames from 1, including those left
/// out.
final class FrameFolderWriter: FrameWriter {
    private let files: PhotoFiles
    private var encoder: PictureEncoder
    private let settings: PhotoSettings
    private var number = 0
    private(set) var byteCount = 0

    init(_ path: String, _ format: FrameFormat, overwrite: Bool) throws(CameraError) {
        let kind: StillFormat = format.pixelFormat.layout == .jpeg ? .jpeg : .png
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .fileError(path, call: "mkdir", errno: errno) }
        let folder = path.lastIndex { $0 != "/" }.map { path[...$0] } ?? ""
        files = try PhotoFiles(
            "\(folder)/%06d\(kind.suffix)", kind, count: .max, mayReplace: overwrite, isExact: true)
        settings = PhotoSettings(quality: .single, format: kind)
        do throws(PhotoError) { encoder = try PictureEncoder(format, ThreadPool(threads: 1)) } catch {
            throw .noMemory(bytes: 1 << 20)
        }
    }

    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(CameraError) -> Bool {
        number += 1
        guard frame.isUsable else { return false }
        let picture: [UInt8]
        do throws(PhotoError) { picture = try encoder.encode(frame: bytes, settings, PhotoMetadata()) } catch {
            return false
        }
        _ = try files.write(picture, number: number)
        byteCount += picture.count
        return true
    }

    func finish() throws(CameraError) {}
    // Every picture in the folder is complete.
    func discard() {}
}
