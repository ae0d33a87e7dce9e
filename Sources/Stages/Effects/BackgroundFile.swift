// SPDX-License-Identifier: MIT
// Files of background pictures: which one it is, and its pixels. Accepts arbitrary bytes.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapJPEG
import LivecapPictures
import LivecapStills

/// The bytes of a picture file, as they were at one time.
struct BackgroundFile {
    /// Tells whether a file has been replaced or written to.
    struct Stamp: Hashable {
        private let device: dev_t
        private let number: ino_t
        private let bytes: off_t
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            device = status.st_dev
            number = status.st_ino
            bytes = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }

        /// That of the file at a path; nil if there is none.
        init?(_ path: String) {
            var status = stat()
            guard LivecapFiles.stat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// When it was read.
    let stamp: Stamp
    private let path: String
    private let bytes: [UInt8]

    /// A larger file is not read: no picture of the longest side has more.
    static let mostBytes = 256 << 20

    /// Reads a file.
    /// - Throws: `unreadable`, `notAFile`, `tooLarge`.
    init(_ path: String) throws(EffectError) {
        // A pipe must not be waited for.
        let file = uninterrupted { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(file) }
        var status = Glibc.stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_size <= Self.mostBytes else { throw .tooLarge(path: path) }
        var failure: Int32 = 0
        bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { bytes, count in
            count = readAll(file, at: 0, into: UnsafeMutableRawBufferPointer(bytes))
            if count < 0 { (failure, count) = (errno, 0) }
        }
        guard failure == 0 else { throw .unreadable(path: path, errno: failure) }
        self.path = path
        stamp = Stamp(status)
    }

    /// Its pixels, red first, scaled to fill pictures of a size: what does not fit is cut off on two sides, equally.
    /// - Throws: `undecodable`.
    func pixels(filling size: FrameSize) throws(EffectError) -> [UInt8] {
        do throws(StillError) {
            let picture = try DecodedPicture(bytes)
            let settings = PictureSettings(
                format: .rgb24, size: size, fit: .cover, view: PictureView(mount: CameraMount(picture.orientation)))
            let converter: PictureConverter
            do throws(PictureError) { converter = try PictureConverter(picture.format, [settings]) } catch {
                throw .undecodable(error.message)
            }
            guard converter.take(picture.bytes.span.bytes) else { throw Self.flaw(of: picture) }
            let count = 3 * size.area
            precondition(converter.formats[0].byteCount == count, "rows without padding")
            return [UInt8](unsafeUninitializedCapacity: count) { pixels, filled in
                filled = converter.draw(0, into: UnsafeMutableRawBufferPointer(pixels)) ?? 0
            }
        } catch { throw .undecodable(path: path, error) }
    }

    /// Why a picture cannot be decoded that looked as if it could.
    private static func flaw(of picture: DecodedPicture) -> StillError {
        guard picture.format.pixelFormat.isJPEG else { return .undecodable("it is damaged") }
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            _ = try decoder.header(picture.bytes.span.bytes)
        } catch {
            switch error {
            case .undecodable(let why): return .undecodable(why)
            case .noMemory: return .noMemory
            default: break
            }
        }
        return .undecodable("it is damaged")
    }

    /// Why the file at a path cannot be a background: it is read and decoded, and let go.
    static func lack(of path: String) -> EffectError? {
        do throws(EffectError) {
            // A small one, for which a JPEG is quickly decoded, and all of its data read all the same.
            _ = try BackgroundFile(path).pixels(filling: FrameSize(width: 64, height: 36))
            return nil
        } catch { return error }
    }
}
