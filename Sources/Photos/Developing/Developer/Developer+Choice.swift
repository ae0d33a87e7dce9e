// SPDX-License-Identifier: MIT
// Chooses the frames a photo is made of, even if some of a shot's frames cannot be decoded.

import Fusion
import LivecapFrames

extension Developer {
    /// A frame that can be fused.
    typealias PreparedFrame = (metadata: FrameMetadata, prepared: FusionFrame)

    /// Returns the frames that were read, including a neighbour if it may have to replace the nearest frame, and those
    /// of them that can be fused, oldest first. Throws `noneDecodes` if the nearest usable frame is too far from the
    /// moment to represent it.
    func choose(
        _ frames: [ReadFrame], spares: [UnreadFrame], shape: FrameShape?, request: PhotoRequest,
        photo: inout Photo
    ) throws(PhotoError) -> (read: [ReadFrame], ready: [PreparedFrame]) {
        guard let nearest = frames.first(where: { $0.metadata.id == request.nearest })?.metadata else {
            throw .undecodable("frame \(request.nearest) is gone")
        }
        let read = withStandIn(frames, spares: spares, shape: shape, request: request, nearest: nearest, photo: &photo)
        var ready: [PreparedFrame] = []
        for frame in read {
            if case .prepared(let prepared) = frame.content {
                ready.append((frame.metadata, prepared))
            } else {
                photo.reject(frame.metadata.id, because: frame.flaw ?? "not needed")
            }
        }
        if request.settings.reference == .tap, let shown = read.nearest(to: request, nearest)?.metadata {
            guard shown.id == nearest.id || shown.mayStandIn(for: nearest, at: request.tap, source.interval) else {
                let flaw = read.first { $0.metadata.id == nearest.id }?.flaw ?? "it cannot be used"
                throw .noneDecodes(flaw, distance: (shown.time - request.tap).magnitude)
            }
        }
        return (read, ready)
    }

    /// Adds spare frames that are nearer to the moment than every usable frame, up to the first spare that is usable.
    private func withStandIn(
        _ frames: [ReadFrame], spares: [UnreadFrame], shape: FrameShape?, request: PhotoRequest,
        nearest: FrameMetadata, photo: inout Photo
    ) -> [ReadFrame] {
        var all = frames
        let best = frames.filter(\.isUsable).nearest(to: request, nearest)?.metadata
        if request.settings.reference.comparesFrames && best != nil { return frames }
        for spare in spares.sorted(by: { request.isNearer($0.metadata, than: $1.metadata, nearest) }) {
            if let best, !request.isNearer(spare.metadata, than: best, nearest) { break }
            var times: [(name: String, time: Duration)] = []
            let frame = read(spare, shape: shape, request: request, times: &times)
            for (name, time) in times { photo.took(time, in: name) }
            all.append(frame)
            if frame.isUsable { break }
        }
        // The file may come from anywhere: its frames need not be in the order of their numbers.
        return all.count == frames.count ? frames : all.sorted { $0.metadata.time < $1.metadata.time }
    }
}

extension Developer {
    private func read(
        _ spare: UnreadFrame, shape: FrameShape?, request: PhotoRequest,
        times: inout [(name: String, time: Duration)]
    ) -> ReadFrame {
        let form = source.format.form(for: request.quality, request.settings)
        let bytes: [UInt8]
        do throws(PhotoError) { bytes = try spare.bytes() } catch {
            return ReadFrame(metadata: spare.metadata, content: .unusable(reason: error.message))
        }
        return ReadFrame(
            metadata: spare.metadata, content: content(bytes.span.bytes, form: form, shape: shape, times: &times))
    }
}

extension [ReadFrame] {
    /// The frame whose moment the photo shows, unless the sharpest or the best is wanted: the nearest of those in the
    /// form asked for, else the nearest of those available as raw bytes. Nil if no frame decodes.
    func nearest(to request: PhotoRequest, _ nearest: FrameMetadata) -> ReadFrame? {
        func first(_ isWanted: (ReadFrame) -> Bool) -> ReadFrame? {
            filter(isWanted).min { request.isNearer($0.metadata, than: $1.metadata, nearest) }
        }
        return first(\.isUsable) ?? first { if case .bytes = $0.content { true } else { false } }
    }
}

extension PhotoRequest {
    /// Whether `a` represents the photo better than `b`: first the frame found to be nearest to the tap, then by time.
    func isNearer(_ a: FrameMetadata, than b: FrameMetadata, _ nearest: FrameMetadata) -> Bool {
        if a.id == nearest.id || b.id == nearest.id { return b.id != nearest.id }
        return (a.time - tap).magnitude < (b.time - tap).magnitude
    }
}

extension FrameMetadata {
    /// Whether this frame may stand in for an unusable one at a moment. It may if it is within one frame interval of
    /// the moment; or, if frames come more slowly, if it is the direct neighbour of the lost frame and the moment lies
    /// between the two.
    func mayStandIn(for lost: FrameMetadata, at moment: Timestamp, _ interval: Duration) -> Bool {
        // Times and intervals are each rounded to the nanosecond.
        if (time - moment).magnitude <= interval + uncertainty + .nanoseconds(2) { return true }
        let (first, second) = id < lost.id ? (self, lost) : (lost, self)
        return first.id.epoch == second.id.epoch && second.id.counter - first.id.counter == 1
            && !second.flags.contains(.gapBefore) && first.time <= moment && moment <= second.time
    }
}

extension SourceDescription {
    /// The interval between frames; if unknown, that of slow cameras.
    package var interval: Duration { rate?.interval ?? .milliseconds(100) }
}
