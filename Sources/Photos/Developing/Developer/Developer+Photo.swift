// SPDX-License-Identifier: MIT
// Turns the frames of a shot into a photo: choose, fuse, encode.

import Fusion
import LivecapFrames
import LivecapStills

extension Developer {
    /// Makes a photo of frames that were read. `spares` stand in if none of them can be used.
    package func photo(
        of request: PhotoRequest, _ frames: [ReadFrame], spares: [UnreadFrame] = [], shape: FrameShape? = nil,
        stages: [(name: String, time: Duration)] = [], _ watch: DevelopmentWatch = DevelopmentWatch()
    ) throws(PhotoError) -> Photo {
        guard let nearest = frames.first(where: { $0.metadata.id == request.nearest })?.metadata else {
            throw .undecodable("frame \(request.nearest) is gone")
        }
        var photo = Photo(request, reference: nearest)
        // JPEG records the orientation only; the other formats have their pixels turned.
        let (frame, settings) = (source.format.size, request.settings)
        photo.size = settings.format == .jpeg ? frame : settings.metadata.orientation.shown(frame)
        photo.rejected = request.damaged.map {
            Photo.RejectedFrame(id: $0.id, reason: "damaged: \($0.damage.name)")
        }
        if let id = request.tapFrame, let frame = request.damaged.first(where: { $0.id == id }) {
            photo.notes.append("frame \(id) is damaged (\(frame.damage.name)): the picture shows \(nearest.id)")
        }
        if let shortage = request.shortage { photo.notes.append(shortage.words) }
        if let remark = request.remark { photo.notes.append(remark) }
        for (name, time) in stages { photo.took(time, in: name) }
        let (read, ready) = try choose(frames, spares: spares, shape: shape, request: request, photo: &photo)
        guard let reference = reference(among: ready, nearest: nearest, request, &photo, watch) else {
            return try alone(request, frames: read, nearest: nearest, photo: &photo, watch: watch)
        }
        let begun = Timestamp.now
        noteStandIn(ready[reference].metadata, request, &photo)
        let whole = try fuse(ready, chosen: reference, request: request, photo: &photo)
        let wholeBefore = request.settings.includesComparison ? try unfused(ready[reference].prepared) : nil
        let (picture, before) = (whole.zoomed(request.settings.zoom), wholeBefore?.zoomed(request.settings.zoom))
        // From here on the frames' memory may be reused.
        watch.fused()
        watch.trace("fuse", begun, .now)
        guard !watch.isCancelled() else { throw .cancelled }
        try encode(picture, before: before, request: request, photo: &photo, watch: watch)
        return photo
    }

    private func encode(
        _ picture: FusedPicture, before: FusedPicture?, request: PhotoRequest, photo: inout Photo,
        watch: DevelopmentWatch
    ) throws(PhotoError) {
        let begun = Timestamp.now
        // The plain picture is, to the byte, the one that there would be if nothing were drawn.
        var plain = request
        plain.settings.effects = nil
        plain.settings.date = nil
        let metadata = metadata(of: photo, plain)
        (photo.provenance, photo.taken) = (metadata.provenance, metadata.time)
        photo.bytes = try encoder.encode(picture, request.settings, metadata)
        if let before { photo.comparison = try comparison(of: before, picture, photo, metadata) }
        if request.settings.includesExplanation { photo.explanation = try explanation(of: photo, picture, metadata) }
        photo.took(.now - begun, in: "encode")
        watch.trace("encode", begun, .now)
        if request.settings.hasDrawing {
            guard !watch.isCancelled() else { throw .cancelled }
            try draw(into: picture, of: request, &photo, watch)
        }
        photo.thumbnail = try thumbnails?.encode(picture, metadata.orientation)
    }

    /// A picture of one frame as it was, unmerged.
    private func unfused(_ frame: FusionFrame) throws(PhotoError) -> FusedPicture {
        let (fuser, _) = try fuser(.mean, for: frame.format)
        let picture = fuser.makePicture()
        do throws(FusionError) { _ = try fuser.fuse([frame], reference: 0, into: picture) } catch {
            throw .unprocessed("frames cannot be merged: \(error.reason)")
        }
        return picture
    }

    /// A picture of the reference frame beside the photo made of it.
    private func comparison(
        of before: FusedPicture, _ picture: FusedPicture, _ photo: Photo, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        var comparison = ComparisonPicture()
        let count = photo.used.count
        comparison.labels = ("FRAME \(photo.reference.id)", "THE PHOTO, OF \(count) FRAME\(count == 1 ? "" : "S")")
        do throws(StillError) {
            return try comparison.encode(before: before, after: picture, metadata: metadata)
        } catch { throw error.photoError(.png) }
    }

    /// A picture that shows which frames each part of the photo rests on.
    private func explanation(
        of photo: Photo, _ picture: FusedPicture, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        let used = photo.used.map { use in
            (
                use.frame.id,
                use.frame.id == photo.reference.id ? .reference : ExplanationPicture.Share.used(weight: use.weight)
            )
        }
        let frames = (used + photo.rejected.map { ($0.id, .rejected) }).sorted { $0.0 < $1.0 }
        let explanation = ExplanationPicture(shares: frames.map(\.1), names: frames.map { "\($0.0)" })
        do throws(StillError) {
            return try explanation.encode(picture, metadata: metadata)
        } catch { throw error.photoError(.png) }
    }

    /// Makes a photo of a single frame, which needs no fuser: the one nearest to the moment that decodes.
    private func alone(
        _ request: PhotoRequest, frames: [ReadFrame], nearest: FrameMetadata, photo: inout Photo,
        watch: DevelopmentWatch
    ) throws(PhotoError) -> Photo {
        guard let frame = frames.nearest(to: request, nearest), case .bytes(let bytes, let reason) = frame.content
        else {
            throw .undecodable(frames.first { $0.metadata.id == nearest.id }?.flaw ?? "its bytes are gone")
        }
        // Whoever asked for a background does not want to be seen without it.
        guard request.settings.drawnEffects == nil else {
            throw .noEffects(
                "they cannot be drawn into "
                    + (reason.map { "any frame around the moment: \($0)" }
                        ?? "\(source.format.pixelFormat) frames of \(source.format.size)"),
                hint: "leave out the effects, or choose another moment, size or pixel format")
        }
        if photo.qualityAsked != .single {
            let format = source.format
            photo.notes.append(
                reason == nil
                    ? "\(format.pixelFormat) frames of \(format.size) cannot be merged: each picture is one"
                    : "no frame around the moment can be merged: the picture is one as it came")
        }
        if request.settings.zoom != nil { photo.notes.append("it is not zoomed") }
        if request.settings.date != nil { photo.notes.append("its date is not drawn") }
        noteStandIn(frame.metadata, request, &photo)
        photo.reference = frame.metadata
        photo.used = [Photo.UsedFrame(frame: frame.metadata, weight: 1)]
        photo.rejected.removeAll { $0.id == frame.metadata.id }
        photo.qualityGiven = .single
        let begun = Timestamp.now
        let metadata = metadata(of: photo, request)
        (photo.provenance, photo.taken) = (metadata.provenance, metadata.time)
        photo.bytes = try encoder.encode(frame: bytes.span.bytes, request.settings, metadata)
        photo.took(.now - begun, in: "encode")
        watch.trace("encode", begun, .now)
        return photo
    }

    /// Adds a note if the picture shows another frame than the nearest.
    private func noteStandIn(_ shown: FrameMetadata, _ request: PhotoRequest, _ photo: inout Photo) {
        guard request.settings.reference == .tap, shown.id != request.nearest else { return }
        photo.notes.append("frame \(request.nearest) cannot be decoded: the picture shows \(shown.id)")
    }

    /// How many times as sharp a neighbour must be before the photo says so. The tremble of a hand that blurs a frame
    /// visibly leaves it 0.8 of its neighbour's sharpness.
    private static let noteworthySharpness = 1.2

    /// Adds a note if one of the frames that were merged is much sharper than the one that the picture shows.
    private func noteSharper(_ frames: [PreparedFrame], _ shown: PreparedFrame, _ photo: inout Photo) {
        guard let sharpest = frames.max(by: { $0.prepared.sharpness < $1.prepared.sharpness }) else { return }
        let ratio = sharpest.prepared.sharpness / max(.leastNonzeroMagnitude, shown.prepared.sharpness)
        guard ratio >= Self.noteworthySharpness, shown.prepared.sharpness > 0 else { return }
        let apart = Int((sharpest.metadata.time - shown.metadata.time).milliseconds.rounded())
        let times = (10 * ratio).rounded() / 10
        photo.notes.append(
            "frame \(shown.metadata.id) is blurred: \(sharpest.metadata.id), \(abs(apart)) ms "
                + "\(apart < 0 ? "earlier" : "later"), is \(times) times as sharp. Reference sharpest shows that one")
    }

    private func fuse(
        _ ready: [PreparedFrame], chosen: Int, request: PhotoRequest, photo: inout Photo
    ) throws(PhotoError) -> FusedPicture {
        let (frames, reference) = request.quality.usesOneFrame ? ([ready[chosen]], 0) : (ready, chosen)
        let (fuser, picture) = try fuser(request.quality.fusion, for: frames[0].prepared.format)
        let report: FusionReport
        do throws(FusionError) {
            report = try fuser.fuse(frames.map(\.prepared), reference: reference, into: picture)
        } catch { throw .unprocessed("frames cannot be merged: \(error.reason)") }
        photo.reference = frames[reference].metadata
        for (frame, share) in zip(frames, report.shares) {
            if let reason = share.rejection {
                photo.reject(frame.metadata.id, because: reason.rawValue)
            } else {
                photo.used.append(Photo.UsedFrame(frame: frame.metadata, weight: share.weight))
            }
        }
        for done in report.stages { photo.took(done.time, in: done.stage.rawValue) }
        photo.rejected.sort { $0.id < $1.id }
        photo.fusion = report
        // The best may well be less sharp, where nobody is.
        guard request.settings.reference != .best else { return picture }
        noteSharper(zip(frames, report.shares).filter { $1.rejection == nil }.map(\.0), frames[reference], &photo)
        return picture
    }
}
