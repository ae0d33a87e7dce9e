// SPDX-License-Identifier: MIT
// Makes pictures of frames, during a session or long after it: holds the tools and reads the frames.

import Fusion
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapThreads

/// Makes photos of one source's frames. It creates its tools when they are first needed; only one thread may use it.
package final class Developer {
    let source: SourceDescription
    let pool: any FusionPool
    let level: KernelLevel?
    private let links: FrameLinks
    let reader: FrameReader
    var encoder: PictureEncoder
    /// Prepares frames, even while another fuser is in use.
    private var preparer: Fuser?
    private var fusers: [FusionMethod: Fuser] = [:]
    private var picture: FusedPicture?
    /// Draws effects; made for the first photo that has some.
    var effects: StillEffects?
    /// Makes thumbnails; nil if none are wanted.
    package var thumbnails: ThumbnailEncoder?

    /// Finds the faces in a frame, for the reference `best`. It loads its nets when it is first called.
    var faceFinder: (FusionFrame) throws(NetError) -> [FaceFacts]
    private let frameFaces: FrameFaces

    /// Creates a developer that shares its work with `pool`. Results computed between frames are shared with every
    /// developer that has the same `links`.
    package init(
        _ source: SourceDescription, _ pool: any FusionPool, level: KernelLevel?, links: FrameLinks
    ) throws(PhotoError) {
        let reader = try FrameReader()
        let encoder = try PictureEncoder(source.format, pool)
        self.source = source
        self.pool = pool
        self.level = level
        self.links = links
        self.reader = reader
        self.encoder = encoder
        let faces = FrameFaces(level)
        frameFaces = faces
        faceFinder = { frame throws(NetError) in try faces.faces(in: frame) }
    }

    /// Throws if the process may no longer use the memory that a photo takes. It was planned, but the limit of the
    /// address space can be lowered meanwhile, and an allocation that fails ends the program.
    package func admit(_ request: PhotoRequest) throws(PhotoError) {
        let there = AddressSpace.left
        guard there < .max else { return }
        let (pixels, format) = (source.format.size.area, request.settings.format)
        let isNew =
            source.format.form(for: request.quality, request.settings) == .prepared
            && fusers[request.quality.fusion] == nil
        let needed =
            (isNew ? PhotoMemory.worker([format], pixels: pixels) : PhotoMemory.encoder(format, pixels: pixels))
            + (effects == nil ? PhotoMemory.effects(request.settings, pixels: pixels) : 0)
            + (frameFaces.isLoaded ? 0 : PhotoMemory.faces(request.settings, pixels: pixels))
        guard AddressSpace.hasRoom(for: needed) else { throw .tooLittleMemory(needed: needed, there: there) }
    }

    /// Whether the process may use the memory that another frame takes, as read in whatever form.
    package var hasRoomForFrame: Bool {
        let frame = 2 * source.format.byteCount + PhotoMemory.framePerPixel(source.format) * source.format.size.area
        return AddressSpace.hasRoom(for: frame)
    }

    /// Decodes a frame if needed, and prepares it for fusion.
    func prepare(
        _ bytes: RawSpan, shape: FrameShape?, memory: FusionFrame?, times: inout [(name: String, time: Duration)]
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

    /// The fuser for a method, and the picture it fuses into, which the next photo overwrites.
    func fuser(_ method: FusionMethod, for format: FrameFormat) throws(PhotoError) -> (Fuser, FusedPicture) {
        do throws(FusionError) {
            // The merging methods work in much memory, and the memory plan counts it for one of them only.
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
    /// Whether the method aligns and merges frames.
    fileprivate var merges: Bool {
        switch self {
        case .balanced, .quality, .merge: true
        case .speed, .mean: false
        }
    }
}

extension FusionError {
    /// The error in words for people.
    package var reason: String {
        switch self {
        case .shortFrame(let bytes, let needed): "\(bytes) bytes of \(needed)"
        case .foreignFormat: "another format than the stream's"
        default: "\(self)"
        }
    }
}
