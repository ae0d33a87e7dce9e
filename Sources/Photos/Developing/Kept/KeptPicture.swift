// SPDX-License-Identifier: MIT
// A picture file that effects are drawn into: a photo's plain picture, or any other.

import Fusion
import Glibc
import LivecapEffects
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents
import LivecapJPEG
import LivecapStills

/// A JPEG, PNG or HEIC file as the only frame of a photo with effects.
package struct KeptPicture {
    /// The path of the picture that is used: for a photo with effects, that of its plain picture.
    package let path: String
    private let file: [UInt8]
    private let decoded: DecodedPicture
    private let provenance: JSON?

    /// More than any picture made here.
    private static let mostBytes = 1 << 29

    /// Reads a file; if it has effects, its plain picture, which is beside it. A picture without effects is used itself
    /// even if a plain one is beside it: that is what is left of an earlier photo of the same name.
    /// - Throws: `badSettings` if it has effects already, and no plain picture; `unreadable`, `notDecoded`.
    package init(_ named: String) throws(PhotoError) {
        var path = named
        var file = try Self.bytes(named)
        var provenance = Self.provenance(file)
        if let effects = provenance?.effects {
            let plain = PlainPicture.path(of: named)
            let isThere = !PlainPicture.isPath(named) && isRegularFile(plain)
            if isThere {
                path = plain
                file = try Self.bytes(plain)
                provenance = Self.provenance(file)
            }
            guard isThere, provenance?.effects == nil else {
                throw .badSettings(
                    "\(named) has effects already (\(effects)), and its plain picture \(plain) is not there",
                    hint: "develop the photo of the library, or the recording, that it was made of")
            }
        }
        self.path = path
        self.file = file
        self.provenance = provenance
        do throws(StillError) { decoded = try DecodedPicture(file) } catch { throw .notDecoded(error) }
    }

    /// Throws if the picture with effects would replace a plain picture, the only one without them. `target`: its path;
    /// nil if that takes nobody's place.
    package func checkTarget(_ target: String?) throws(PhotoError) {
        guard PlainPicture.isPath(path), let target else { return }
        var mine = stat()
        var there = stat()
        guard stat(path, &mine) == 0, stat(target, &there) == 0, mine.st_ino == there.st_ino,
            mine.st_dev == there.st_dev
        else { return }
        throw .badSettings(
            "\(target) is the only picture without effects, and would be replaced by one with effects",
            hint: "choose another name for the output")
    }

    private static func bytes(_ path: String) throws(PhotoError) -> [UInt8] {
        do throws(FrameFileError) {
            guard let bytes = try wholeFile(path, atMost: mostBytes) else {
                throw FrameFileError.badFile(path, detail: "it is too large for a picture", hint: "name another file")
            }
            return bytes
        } catch { throw .unreadable(error) }
    }

    private static func provenance(_ file: [UInt8]) -> JSON? {
        PhotoInspection(file)?.provenance.flatMap { JSON(parsing: Array($0.utf8)) }
    }

    /// The picture with effects; without any, as it is. Only the format, the depth, the quality of the encoder and the
    /// effects of `settings` count.
    package func photo(
        _ settings: PhotoSettings, threads: Int, level: KernelLevel?
    ) throws(PhotoError) -> Photo {
        // Its chroma may be sampled in a way that is not fused: as red, green and blue, it can be.
        if decoded.format.pixelFormat.isJPEG,
            try FrameJudge().shape(of: decoded.bytes.span.bytes, in: decoded.format) == nil
        {
            return try photo(
                settings, FrameFormat(pixelFormat: .rgb24, size: decoded.format.size), pixels(), threads: threads,
                level: level)
        }
        return try photo(settings, decoded.format, decoded.bytes, threads: threads, level: level)
    }

    private func photo(
        _ wish: PhotoSettings, _ format: FrameFormat, _ bytes: [UInt8], threads: Int, level: KernelLevel?
    ) throws(PhotoError) -> Photo {
        var settings = wish
        settings.quality = .mean
        settings.frames = 1
        settings.laterFrames = 0
        settings.zoom = nil
        settings.metadata.orientation = decoded.orientation
        settings.metadata.provenance = provenance.map { $0.with(effects: wish.drawnEffects).text }
        let metadata = FrameMetadata(
            time: .zero, byteCount: bytes.count, sequence: 0, timeSource: .file, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        let source = SourceDescription(name: path, identity: path, format: format, rate: nil, clock: .own)
        let burst = KeptBurst(source, [UnreadFrame(metadata) { () throws(PhotoError) in bytes }])
        var made = try burst.photo(settings, threads: threads, level: level)
        made.plain = nil
        if made.effects == nil, wish.format == .jpeg, decoded.format.pixelFormat.isJPEG, wish.encodeQuality == nil {
            // What is taken back leaves the picture as it was, to the byte.
            made.bytes = file
        } else if wish.format == .jpeg, let exif = MetadataSegment.exif.block(of: file.span.bytes) {
            made.bytes = MetadataSegment.inserted([(.exif, exif)], into: made.bytes.span.bytes) ?? made.bytes
        }
        made.byteCount = made.bytes.count
        return made
    }

    private func pixels() throws(PhotoError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: 3 * decoded.format.size.area)
        var span = pixels.mutableSpan
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            try span.withUnsafeMutableBytes { memory throws(JPEGError) in
                _ = try decoder.decodeRGB(decoded.bytes.span.bytes, size: decoded.format.size, into: memory)
            }
        } catch { throw .undecodable(error.reason) }
        return pixels
    }
}

extension JSON {
    /// The effects that a photo's account names; nil for none.
    fileprivate var effects: String? { self["settings"]?["effects"]?.text }

    /// A photo's account, with other effects among its settings.
    fileprivate func with(effects: EffectSettings?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { name, value in
                guard name == "settings", case .object(let settings) = value else { return (name, value) }
                let others = settings.filter { $0.0 != "effects" }
                return (name, .object(others + (effects.map { [("effects", .string($0.listForFiles))] } ?? [])))
            })
    }
}
