// SPDX-License-Identifier: MIT
// Makes a shot's photo on a worker's bench.

import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage

extension Workbench {
    /// Makes a shot's photo, or the proxy of a deferred one, and hands it to the store.
    func develop(_ shot: Shot, _ captured: Shot.Captured, taken: Timestamp) {
        do throws(PhotoError) {
            let request = PhotoRequest(shot, captured, at: desk)
            let isDeferred = captured.resolved.isDeferred
            let kept = try keptFrames(captured)
            let waits = [("wait", captured.report.wait), ("queue", taken - captured.held)]
            var photo = try developer.photo(
                of: isDeferred ? request.proxy : request, captured.frames.map(\.read), spares: spares(captured),
                shape: desk.shape, stages: waits + captured.readingTimes, watch(over: shot))
            guard !shot.isCancelled.load(ordering: .acquiring) else { throw .cancelled }
            (photo.byteCount, photo.isProxy) = (photo.bytes.count, isDeferred)
            store.take(shot, photo, StoreRoom.Goods(request: request, kept: kept, isProxy: isDeferred))
        } catch {
            desk.finish(shot, .failed(error))
        }
    }

    /// The shot's frames in the library, with the neighbours that may have to stand in for them.
    private func keptFrames(_ captured: Shot.Captured) throws(PhotoError) -> [KeptFrame] {
        let shelved = captured.kept + captured.around
        guard !shelved.isEmpty else { return [] }
        guard let archive = desk.archive else { preconditionFailure("frames are kept without a library") }
        var kept: [KeptFrame] = []
        for frame in shelved {
            switch frame.content {
            case .kept(let frame): kept.append(frame)
            case .notKept(let error): throw .notKept(error)
            default: preconditionFailure("a frame nobody has kept")
            }
        }
        do throws(LibraryError) {
            let known = Set(shelved.map(\.metadata.id))
            for spare in captured.spares where !known.contains(spare.metadata.id) {
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
    private func spares(_ captured: Shot.Captured) -> [UnreadFrame] {
        // A photo that is made at once has these frames already.
        let others = (captured.resolved.isDeferred ? captured.kept : []).filter {
            $0.metadata.id != captured.report.nearest.id
        }
        let kept = others.map { frame in
            UnreadFrame(frame.metadata) { () throws(PhotoError) in
                guard case .kept(let kept) = frame.content else { preconditionFailure("a frame nobody has kept") }
                do throws(LibraryError) { return try kept.bytes() } catch { throw .notKept(error) }
            }
        }
        let neighbours = captured.spares.map { spare in
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
