// SPDX-License-Identifier: MIT
// Who makes pictures of frames, in a session or long after it: its tools, and how it reads frames.

import Camera
import Frames
import FusionKernels

/// Makes photos of one source's frames. Its tools are made when they are first needed, and used by one thread only.
final class Developer {
    let source: SourceDescription
    let pool: any FusionPool
    private let level: KernelLevel?
    private let links: FrameLinks
    let reader: FrameReader
    var encoder: PictureEncoder
    /// Prepares frames, also while another fuser is at work.
    private var preparer: Fuser?
    private var fusers: [FusionMethod: Fuser] = [:]
    private var picture: FusedPicture?
    /// Makes a small picture of each; nil where nobody wants any.
    var thumbnails: ThumbnailEncoder?

    /// Who shares work with `pool`, and what is found between frames with whoever has the same `links`.
    init(
        _ source: SourceDescription, _ pool: any FusionPool, level: KernelLevel?, links: FrameLinks
    ) throws(PhotoError) {
        let reader = try FrameReader()
        let encoder = try PictureEncoder(source.format, pool)
        (self.source, self.pool, self.level, self.links, self.reader) = (source, pool, level, links, reader)
        self.encoder = encoder
    }

    /// A frame, decoded if need be, and prepared for fusion.
    func prepare(
        _ bytes: RawSpan, _ shape: FrameShape?, _ memory: FusionFrame?, _ times: inout [(name: String, time: TimeSpan)]
    ) throws(UnusableFrame) -> FusionFrame {
        let begun = Timestamp.now
        guard let shape else { throw UnusableFrame(reason: "its chroma is sampled in a way not fused") }
        let fuser = try preparer(for: shape.format)
        let frame = memory ?? fuser.makeFrame()
        var read = begun
        try reader.read(bytes, as: shape) { bytes throws(UnusableFrame) in
            read = .now
            do throws(FusionError) { try fuser.prepare(bytes, into: frame) } catch {
                throw UnusableFrame(reason: error.reason)
            }
        }
        if shape.layout != nil { times.append(("decode", read - begun)) }
        times.append(("prepare", .now - read))
        return frame
    }

    private func preparer(for format: FrameFormat) throws(UnusableFrame) -> Fuser {
        if let preparer { return preparer }
        do throws(FusionError) {
            let fuser = try Fuser(format, FusionSettings(.mean, level: level))
            preparer = fuser
            return fuser
        } catch { throw UnusableFrame(reason: error.reason) }
    }

    /// The fuser of a method, and the picture it fuses into, which the next photo will overwrite.
    func fuser(_ method: FusionMethod, for format: FrameFormat) throws(PhotoError) -> (Fuser, FusedPicture) {
        do throws(FusionError) {
            // Those that merge work in much memory: it is counted for one of them.
            if method.merges, fusers[method] == nil { fusers = fusers.filter { !$0.key.merges } }
            let fuser =
                if let known = fusers[method] { known } else {
                    try Fuser(format, FusionSettings(method, level: level), pool: pool, links: links)
                }
            fusers[method] = fuser
            let picture = picture ?? fuser.makePicture()
            self.picture = picture
            return (fuser, picture)
        } catch { throw .unprocessed("frames cannot be merged: \(error.reason)") }
    }
}

extension FusionMethod {
    /// Whether frames are aligned and merged.
    fileprivate var merges: Bool {
        switch self {
        case .balanced, .quality, .merge: true
        case .speed, .mean: false
        }
    }
}

extension FusionError {
    /// For people.
    var reason: String {
        switch self {
        case .shortFrame(let bytes, let needed): "\(bytes) bytes of \(needed)"
        case .foreignFormat: "another format than the stream's"
        default: "\(self)"
        }
    }
}
