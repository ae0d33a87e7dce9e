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
import LivecapThreads

/// A JPEG, PNG or HEIC file as the only frame of a photo with effects.
package struct KeptPicture {
    /// The path of the picture that is used: for a photo with effects, that of its plain picture.
    package let path: String
    private let file: [UInt8]
    private let content: Content
    private let provenance: JSON?

    /// A decoded file.
    private enum Content {
        /// JPEG: as a frame of a camera.
        case frame(DecodedPicture)
        /// PNG and HEIC: in their own depth.
        case fine(FinePicture)
    }

    /// More than any picture made here.
    private static let mostBytes = 1 << 29

    /// Reads a file; if it has effects, its plain picture, which is beside it. A picture without effects is used itself
    /// even if a plain one is beside it: that is what is left of an earlier photo of the same name.
    /// - Throws: `badSettings` if it has effects already, and no plain picture; `unreadable`, `notDecoded`.
    package init(_ named: String) throws(PhotoError) {
        var path = named
        var file = try Self.bytes(named)
        var provenance = Self.provenance(file)
        if let drawing = provenance?.drawing {
            let plain = PlainPicture.path(of: named)
            let isThere = !PlainPicture.isPath(named) && isRegularFile(plain)
            if isThere {
                path = plain
                file = try Self.bytes(plain)
                provenance = Self.provenance(file)
            }
            guard isThere, provenance?.drawing == nil else {
                throw .badSettings(
                    "\(named) has \(drawing), and its plain picture \(plain) is not there",
                    hint: "develop the photo of the library, or the recording, that it was made of")
            }
        }
        self.path = path
        self.file = file
        self.provenance = provenance
        do throws(StillError) {
            content =
                if let fine = try FinePicture(file) { .fine(fine) } else { .frame(try DecodedPicture(file)) }
        } catch { throw .notDecoded(error) }
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

    /// The picture with effects, in the file's own precision; without any, as it is. Only the format, the depth, the
    /// quality of the encoder and the effects of `settings` count.
    package func photo(
        _ settings: PhotoSettings, threads: Int, level: KernelLevel?
    ) throws(PhotoError) -> Photo {
        let decoded: DecodedPicture
        switch content {
        case .fine(let fine): return try photo(settings, fine, threads: threads, level: level)
        case .frame(let picture): decoded = picture
        }
        var format = decoded.format
        var bytes = decoded.bytes
        // Its chroma may be sampled in a way that is not fused: as red, green and blue, it can be.
        if format.pixelFormat.isJPEG, try FrameJudge().shape(of: bytes.span.bytes, in: format) == nil {
            bytes = try Self.pixels(decoded)
            format = FrameFormat(pixelFormat: .rgb24, size: format.size)
        }
        let burst = burst(format, bytes)
        let wish = only(settings, decoded.orientation)
        var made = try burst.photo(wish, threads: threads, level: level)
        made.plain = nil
        if made.effects == nil, settings.format == .jpeg, decoded.format.pixelFormat.isJPEG,
            settings.encodeQuality == nil
        {
            // What is taken back leaves the picture as it was, to the byte.
            made.bytes = file
        } else if settings.format == .jpeg, let exif = MetadataSegment.exif.block(of: file.span.bytes) {
            made.bytes = MetadataSegment.inserted([(.exif, exif)], into: made.bytes.span.bytes) ?? made.bytes
        }
        made.byteCount = made.bytes.count
        return made
    }

    /// The photo of a picture that is as it is in its file: there is nothing to fuse.
    private func photo(
        _ settings: PhotoSettings, _ fine: FinePicture, threads: Int, level: KernelLevel?
    ) throws(PhotoError) -> Photo {
        let burst = burst(FrameFormat(pixelFormat: .rgb24, size: fine.size), file)
        let wish = only(settings, .up)
        if let problem = wish.problem { throw problem }
        let request = try burst.request(wish, asked: 0)
        let development = KeptDevelopment(
            source: burst.source, level: level, memory: KeptDevelopment.memory(besideThreads: threads))
        try development.admit(request)
        let developer = try Developer(
            burst.source, ThreadPool(threads: threads), level: level, links: FrameLinks())
        let isAsItWas =
            wish.drawnEffects == nil && wish.format == fine.format && wish.encodeQuality == nil
            && (wish.depth == nil || wish.depth?.rawValue == fine.bits)
        var made = try developer.photo(of: request, burst.frames[0], file: fine, as: isAsItWas ? file : nil)
        made.plain = nil
        made.byteCount = made.bytes.count
        return made
    }

    /// What counts of settings for a picture that is there, and what is known of it.
    private func only(_ wish: PhotoSettings, _ orientation: PhotoOrientation) -> PhotoSettings {
        var settings = wish
        settings.quality = .mean
        settings.frames = 1
        settings.laterFrames = 0
        settings.zoom = nil
        // It is not known when the picture was taken.
        settings.date = nil
        settings.metadata.orientation = orientation
        settings.metadata.provenance = provenance.map { $0.with(effects: wish.drawnEffects).text }
        return settings
    }

    /// The picture as the only frame of a source.
    private func burst(_ format: FrameFormat, _ bytes: [UInt8]) -> KeptBurst {
        let metadata = FrameMetadata(
            time: .zero, byteCount: bytes.count, sequence: 0, timeSource: .file, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        let source = SourceDescription(name: path, identity: path, format: format, rate: nil, clock: .own)
        return KeptBurst(source, [UnreadFrame(metadata) { () throws(PhotoError) in bytes }])
    }

    private static func pixels(_ decoded: DecodedPicture) throws(PhotoError) -> [UInt8] {
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
    /// What was drawn into a photo, as its account says; nil for nothing.
    fileprivate var drawing: String? {
        if let effects = self["settings"]?["effects"]?.text { return "effects already (\(effects))" }
        return self["settings"]?["date"]?.text == nil ? nil : "a date already"
    }

    /// A photo's account, with other effects among its settings, and no date.
    fileprivate func with(effects: EffectSettings?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { name, value in
                guard name == "settings", case .object(let settings) = value else { return (name, value) }
                let others = settings.filter { !["effects", "date"].contains($0.0) }
                return (name, .object(others + (effects.map { [("effects", .string($0.listForFiles))] } ?? [])))
            })
    }
}
