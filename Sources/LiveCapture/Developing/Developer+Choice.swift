// SPDX-License-Identifier: MIT
// Which of a shot's frames its photo is made of, where some of them turn out not to decode.

import Camera
import Frames
import FusionKernels

/// A frame that can be fused.
struct ReadyFrame {
    let metadata: FrameMetadata
    let frame: FusionFrame
}

extension Developer {
    /// The frames that were read, with a neighbour among them where it is to stand in for the nearest, and those that can be
    /// fused, oldest first; `noFrame` where the nearest usable one is too far from the moment to be its picture.
    func choose(
        _ frames: [ReadFrame], _ spares: [SpareFrame], _ request: PhotoRequest, _ photo: inout Photo
    ) throws(PhotoError) -> (read: [ReadFrame], ready: [ReadyFrame]) {
        guard let nearest = frames.first(where: { $0.metadata.id == request.nearest })?.metadata else {
            throw .undecodable("frame \(request.nearest) is gone")
        }
        let read = withStandIn(frames, spares, request, nearest, &photo)
        var ready: [ReadyFrame] = []
        for frame in read {
            if case .prepared(let prepared) = frame.content {
                ready.append(ReadyFrame(metadata: frame.metadata, frame: prepared))
            } else {
                photo.rejected.append((frame.metadata.id, frame.flaw ?? "not needed"))
            }
        }
        if request.settings.reference == .tap, let shown = read.nearest(to: request, nearest)?.metadata {
            guard shown.id == nearest.id || shown.mayStandIn(for: nearest, at: request.tap, source.interval) else {
                throw .noFrame(at: request.tap, distance: (shown.time - request.tap).magnitude)
            }
        }
        return (read, ready)
    }

    /// The frames, and the first usable one of the spares that are nearer to the moment than every usable one of them.
    private func withStandIn(
        _ frames: [ReadFrame], _ spares: [SpareFrame], _ request: PhotoRequest, _ nearest: FrameMetadata,
        _ photo: inout Photo
    ) -> [ReadFrame] {
        var read = frames
        let best = frames.filter(\.isUsable).nearest(to: request, nearest)?.metadata
        if request.settings.reference == .sharpest && best != nil { return frames }
        for spare in spares.sorted(by: { request.isNearer($0.metadata, than: $1.metadata, nearest) }) {
            if let best, !request.isNearer(spare.metadata, than: best, nearest) { break }
            var times: [(name: String, time: TimeSpan)] = []
            let frame = ReadFrame(metadata: spare.metadata, content: spare.read(&times))
            for (name, time) in times { photo.took(time, in: name) }
            read.append(frame)
            if frame.isUsable { break }
        }
        // Anybody may have made a file: its frames need not be in the order of their numbers.
        return read.count == frames.count ? frames : read.sorted { $0.metadata.time < $1.metadata.time }
    }
}

extension [ReadFrame] {
    /// The one whose moment a photo shows, unless the sharpest is wanted: of those that are what was asked for, or else of those
    /// that are there as they came. Nil where none decodes.
    func nearest(to request: PhotoRequest, _ nearest: FrameMetadata) -> ReadFrame? {
        func first(_ isWanted: (ReadFrame) -> Bool) -> ReadFrame? {
            filter(isWanted).min { request.isNearer($0.metadata, than: $1.metadata, nearest) }
        }
        return first(\.isUsable) ?? first { if case .bytes = $0.content { true } else { false } }
    }
}

extension PhotoRequest {
    /// Whether one frame is more the photo's than another: the one its tap was found to be nearest to, and then by time.
    func isNearer(_ a: FrameMetadata, than b: FrameMetadata, _ nearest: FrameMetadata) -> Bool {
        if a.id == nearest.id || b.id == nearest.id { return b.id != nearest.id }
        return (a.time - tap).magnitude < (b.time - tap).magnitude
    }
}

extension FrameMetadata {
    /// Whether it is within a frame's time of a moment whose own frame is of no use: by the source's rate, or, where frames come
    /// more slowly, because the moment lies between it and that frame, its direct neighbour.
    func mayStandIn(for lost: FrameMetadata, at moment: Timestamp, _ interval: TimeSpan) -> Bool {
        // Times and intervals are rounded to the nanosecond each.
        if (time - moment).magnitude <= interval + uncertainty + .nanoseconds(2) { return true }
        let (first, second) = id < lost.id ? (self, lost) : (lost, self)
        return first.id.epoch == second.id.epoch && second.id.counter - first.id.counter == 1
            && !second.flags.contains(.gapBefore) && first.time <= moment && moment <= second.time
    }
}

extension SourceDescription {
    /// Two frames are this far apart; where nobody knows, as far as they are of slow cameras.
    var interval: TimeSpan { rate?.interval ?? .milliseconds(100) }
}
