// SPDX-License-Identifier: MIT
// From the frames of a shot to a photo: choose, fuse, encode.

import Frames
import FusionKernels
import JPEG
import Stills

extension Workbench {
    /// Makes a shot's photo and hands it to the store.
    func develop(_ shot: Shot) {
        do throws(PhotoError) {
            var photo = try photo(of: shot)
            guard !shot.isCancelled.load(ordering: .acquiring) else { throw .cancelled }
            photo.byteCount = photo.bytes.count
            store.take(shot, photo)
        } catch {
            desk.finish(shot, .failed(error))
        }
    }

    private func photo(of shot: Shot) throws(PhotoError) -> Photo {
        guard let resolved = shot.resolved, let captured = shot.captured, let tap = shot.moment else {
            preconditionFailure("a shot without frames is developed")
        }
        var photo = Photo(
            shot.id, tap: tap, within: shot.tapError, reference: captured.nearest, resolved,
            settled: shot.isExposureSettled, exposure: desk.description.exposure)
        photo.rejected = shot.damaged.map { ($0.id, "damaged: \($0.damage.name)") }
        if case .frame(let id) = shot.tap, let frame = shot.damaged.first(where: { $0.id == id }) {
            photo.notes.append(
                "frame \(id) is damaged (\(frame.damage.name)): the picture shows \(captured.nearest.id)")
        }
        photo.took(captured.wait, in: "wait")
        photo.took(shot.taken - shot.held, in: "queue")
        for (name, time) in shot.readingTimes { photo.took(time, in: name) }
        guard shot.form == .prepared else { return try alone(shot, captured.nearest, &photo) }

        let frames = prepared(shot, &photo)
        guard let reference = reference(among: frames, shot) else {
            photo.notes.append("no frame around the moment can be decoded: the picture is one as it came")
            return try alone(shot, captured.nearest, &photo)
        }
        if shot.settings.reference == .tap && frames[reference].metadata.id != captured.nearest.id {
            photo.notes.append(
                "frame \(captured.nearest.id) cannot be decoded: the picture shows \(frames[reference].metadata.id)")
        }
        let picture = try fuse(frames, reference, resolved, &photo)
        let before = shot.settings.isCompared ? try unfused(frames[reference]) : nil
        // From here on others may have the frames' memory.
        desk.finishFusing(shot)
        trace("fuse", from: shot.taken, to: .now, shot)
        guard !shot.isCancelled.load(ordering: .acquiring) else { throw .cancelled }
        let begun = Timestamp.now
        let metadata = desk.metadata(of: photo, shot)
        photo.bytes = try encoder.encode(picture, shot.settings, metadata)
        if let before { photo.comparison = try comparison(of: before, picture, metadata) }
        if shot.settings.isExplained { photo.explanation = try explanation(of: photo, picture, metadata) }
        photo.took(.now - begun, in: "encode")
        trace("encode", from: begun, to: .now, shot)
        return photo
    }

    /// A frame as it was, as a picture.
    private func unfused(_ frame: ReadyFrame) throws(PhotoError) -> FusedPicture {
        let (fuser, _) = try fuser(.mean, for: frame.frame.format)
        let picture = fuser.makePicture()
        do throws(FusionError) { _ = try fuser.fuse([frame.frame], reference: 0, into: picture) } catch {
            throw .unprocessed("frames cannot be merged: \(error.reason)")
        }
        return picture
    }

    /// The reference as it was beside what became of it.
    private func comparison(
        of before: FusedPicture, _ picture: FusedPicture, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        do throws(StillError) {
            return try ComparisonPicture().encode(before: before, after: picture, metadata: metadata)
        } catch { throw .unprocessed(error.reason) }
    }

    /// What each part of the picture rests on.
    private func explanation(
        of photo: Photo, _ picture: FusedPicture, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        let used = photo.used.map { frame, weight in
            (frame.id, frame.id == photo.reference.id ? .reference : ExplanationPicture.Share.used(weight: weight))
        }
        let shares = (used + photo.rejected.map { ($0.id, .rejected) }).sorted { $0.0 < $1.0 }.map(\.1)
        do throws(StillError) {
            return try ExplanationPicture(shares: shares).encode(picture, metadata: metadata)
        } catch { throw .unprocessed(error.reason) }
    }

    /// A frame by itself, which needs no fuser.
    private func alone(_ shot: Shot, _ frame: FrameMetadata, _ photo: inout Photo) throws(PhotoError) -> Photo {
        let content = shot.frames.first { $0.metadata.id == frame.id }?.content
        guard case .bytes(let bytes, let reason) = content else { throw .undecodable("its bytes are gone") }
        if reason == nil, photo.asked != .single {
            let format = desk.description.format
            photo.notes.append(
                "\(format.pixelFormat) frames of \(format.size) cannot be merged: each picture is one")
        }
        photo.reference = frame
        photo.used = [(frame, 1)]
        photo.rejected.removeAll { $0.id == frame.id }
        photo.given = .single
        let begun = Timestamp.now
        photo.bytes = try encoder.encode(frame: bytes.span.bytes, shot.settings, desk.metadata(of: photo, shot))
        photo.took(.now - begun, in: "encode")
        trace("encode", from: begun, to: .now, shot)
        return photo
    }

    /// The shot's frames that can be used, oldest first; failing all, one of their neighbours.
    private func prepared(_ shot: Shot, _ photo: inout Photo) -> [ReadyFrame] {
        var ready: [ReadyFrame] = []
        for frame in shot.frames {
            switch frame.content {
            case .prepared(let prepared): ready.append(ReadyFrame(metadata: frame.metadata, frame: prepared))
            case .bytes(_, let reason): photo.rejected.append((frame.metadata.id, reason ?? "not needed"))
            case .unusable(let reason): photo.rejected.append((frame.metadata.id, reason))
            case .held: preconditionFailure("a frame nobody has read")
            }
        }
        let shape = desk.state.withLock { $0.shape }
        for spare in shot.spares where ready.isEmpty {
            var times: [(name: String, time: TimeSpan)] = []
            do throws(UnusableFrame) {
                ready.append(ReadyFrame(metadata: spare.metadata, frame: try prepare(spare, shape, nil, &times)))
            } catch {
                photo.rejected.append((spare.metadata.id, error.reason))
            }
            for (name, time) in times { photo.took(time, in: name) }
        }
        return ready
    }

    /// Which of the frames is the picture's moment; of equally sharp ones the nearest. Nil where there is none.
    private func reference(among frames: [ReadyFrame], _ shot: Shot) -> Int? {
        let tap = shot.captured?.nearest.time ?? .zero
        return frames.indices.min { a, b in
            let (first, second) = (frames[a], frames[b])
            if shot.settings.reference == .sharpest && first.frame.sharpness != second.frame.sharpness {
                return first.frame.sharpness > second.frame.sharpness
            }
            return (first.metadata.time - tap).magnitude < (second.metadata.time - tap).magnitude
        }
    }

    private func fuse(
        _ ready: [ReadyFrame], _ chosen: Int, _ resolved: ResolvedPhotoSettings, _ photo: inout Photo
    ) throws(PhotoError) -> FusedPicture {
        let (frames, reference) = resolved.quality.needsOneFrame ? ([ready[chosen]], 0) : (ready, chosen)
        let (fuser, picture) = try fuser(resolved.quality.fusion, for: frames[0].frame.format)
        let report: FusionReport
        do throws(FusionError) {
            report = try fuser.fuse(frames.map(\.frame), reference: reference, into: picture)
        } catch { throw .unprocessed("frames cannot be merged: \(error.reason)") }
        photo.reference = frames[reference].metadata
        for (frame, share) in zip(frames, report.shares) {
            if let reason = share.rejection {
                photo.rejected.append((frame.metadata.id, reason.rawValue))
            } else {
                photo.used.append((frame.metadata, share.weight))
            }
        }
        for (stage, time) in report.stages { photo.took(time, in: stage.rawValue) }
        photo.rejected.sort { $0.id < $1.id }
        photo.fusion = report
        return picture
    }
}

/// A frame with the work done that every shot of it shares.
private struct ReadyFrame {
    let metadata: FrameMetadata
    let frame: FusionFrame
}
