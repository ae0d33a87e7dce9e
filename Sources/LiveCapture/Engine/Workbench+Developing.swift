// SPDX-License-Identifier: MIT
// Makes a shot's photo on a worker's bench.

import Developing
import Frames
import FusionKernels
import PhotoLibrary

extension Workbench {
    /// Makes a shot's photo, or the proxy of a deferred one, and hands it to the store.
    func develop(_ shot: Shot) {
        do throws(PhotoError) {
            let request = PhotoRequest(shot, of: desk.description)
            let kept = shot.keepsFrames ? try keptFrames(of: shot) : []
            var photo = try photo(of: shot, shot.isDeferred ? request.proxy : request)
            guard !shot.isCancelled.load(ordering: .acquiring) else { throw .cancelled }
            (photo.byteCount, photo.isProxy) = (photo.bytes.count, shot.isDeferred)
            store.take(shot, photo, StoreRoom.Goods(request: request, kept: kept, isProxy: shot.isDeferred))
        } catch {
            desk.finish(shot, .failed(error))
        }
    }

    private func photo(of shot: Shot, _ request: PhotoRequest) throws(PhotoError) -> Photo {
        let waits = [("wait", shot.captured?.wait ?? .zero), ("queue", shot.taken - shot.held)]
        return try developer.photo(
            of: request, shot.frames.map(\.read), spares: spares(of: shot), shape: desk.shape,
            stages: waits + shot.readingTimes, watch(over: shot))
    }

    /// The shot's frames in the library, with the neighbours that may have to stand in for them.
    private func keptFrames(of shot: Shot) throws(PhotoError) -> [KeptFrame] {
        guard let archive = desk.archive else { preconditionFailure("frames are kept without a library") }
        var kept: [KeptFrame] = []
        for frame in shot.kept + shot.around {
            switch frame.content {
            case .kept(let frame): kept.append(frame)
            case .notKept(let error): throw .notKept(error)
            default: preconditionFailure("a frame nobody has kept")
            }
        }
        do throws(LibraryError) {
            let known = Set((shot.kept + shot.around).map(\.metadata.id))
            for spare in shot.spares where !known.contains(spare.metadata.id) {
                kept.append(
                    try spare.lease.withBytes { bytes throws(LibraryError) in
                        try archive.keep(spare.metadata, bytes)
                    })
            }
        } catch { throw .notKept(error) }
        return kept
    }

    /// The frames that could stand in for the one nearest a shot's moment: the other kept frames of a deferred shot,
    /// and the neighbours while they are held.
    private func spares(of shot: Shot) -> [UnreadFrame] {
        // A photo that is made at once has these frames already.
        let others = (shot.isDeferred ? shot.kept : []).filter { $0.metadata.id != shot.captured?.nearest.id }
        let kept = others.map { frame in
            UnreadFrame(frame.metadata) { () throws(PhotoError) in
                guard case .kept(let kept) = frame.content else { preconditionFailure("a frame nobody has kept") }
                do throws(LibraryError) { return try kept.bytes() } catch { throw .notKept(error) }
            }
        }
        let neighbours = shot.spares.map { spare in
            UnreadFrame(spare.metadata) { spare.lease.withBytes { $0.withUnsafeBytes { Array($0) } } }
        }
        return kept + neighbours
    }

    private func watch(over shot: Shot) -> DevelopmentWatch {
        DevelopmentWatch(
            fused: { [desk] in desk.finishFusing(shot) },
            isCancelled: { shot.isCancelled.load(ordering: .acquiring) },
            trace: { [self] in trace($0, from: $1, to: $2, shot) })
    }
}

extension ShelvedFrame {
    /// The frame in the form a developer takes.
    fileprivate var read: ReadFrame {
        guard case .read(let content) = content else { preconditionFailure("a frame nobody has read") }
        return ReadFrame(metadata: metadata, content: content)
    }
}
