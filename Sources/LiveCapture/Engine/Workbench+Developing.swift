// SPDX-License-Identifier: MIT
// Makes a shot's photo on a worker's bench.

import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage

extension Workbench {
    /// Makes a shot's photo, or the proxy of a deferred one, and hands it to the store. If the library has no room for
    /// the frames that are to be kept, the photo is made at once, to be stored without them.
    func develop(_ shot: Shot, _ captured: Shot.Captured, taken: Timestamp) {
        let waits = [("wait", captured.report.wait), ("queue", taken - captured.held)]
        var kept: [KeptFrame] = []
        do throws(PhotoError) {
            var request = PhotoRequest(shot, captured, at: desk)
            request.settings.metadata =
                shot.edit?(request.settings.metadata, captured.report.nearest)
                ?? request.settings.metadata
            try developer.admit(request)
            let isDeferred = captured.resolved.isDeferred
            var lack: LibraryError?
            do throws(LibraryError) { kept = try keptFrames(captured) } catch {
                guard error.isFullDisk else { throw .notKept(error) }
                lack = error
                request.remark = StoreRoom.remark
                shot.noteNotKept(error)
            }
            var photo: Photo
            if isDeferred, lack != nil {
                let development = KeptDevelopment(of: desk.description) { shot.isCancelled.load(ordering: .acquiring) }
                let frames = captured.kept.map(\.unread) + neighbours(captured)
                photo = try development.photo(
                    of: request, frames, with: developer, stages: waits, watch(over: shot))
            } else {
                photo = try developer.photo(
                    of: isDeferred ? request.proxy : request, captured.frames.map(\.read), spares: spares(captured),
                    shape: desk.shape, stages: waits + captured.readingTimes, watch(over: shot))
            }
            guard !shot.isCancelled.load(ordering: .acquiring) else { throw .cancelled }
            photo.byteCount = photo.bytes.count
            photo.isProxy = isDeferred && lack == nil
            if lack != nil {
                desk.releaseFrames(of: shot)
                desk.archive?.cutBack()
            }
            store.take(shot, photo, StoreRoom.Goods(request: request, kept: kept, isProxy: photo.isProxy))
        } catch {
            for frame in kept { frame.release() }
            desk.finish(shot, .failed(error))
        }
    }

    /// The shot's frames in the library, with the neighbours that may have to stand in for them. The caller has a claim
    /// to each.
    private func keptFrames(_ captured: Shot.Captured) throws(LibraryError) -> [KeptFrame] {
        let shelved = captured.kept + captured.around
        guard !shelved.isEmpty else { return [] }
        guard let archive = desk.archive else { preconditionFailure("frames are kept without a library") }
        var kept: [KeptFrame] = []
        do throws(LibraryError) {
            for frame in shelved {
                switch frame.content {
                case .kept(let frame):
                    frame.claim()
                    kept.append(frame)
                case .notKept(let error, _): throw error
                default: preconditionFailure("a frame nobody has kept")
                }
            }
            let known = Set(shelved.map(\.metadata.id))
            for spare in captured.spares where !known.contains(spare.metadata.id) {
                kept.append(
                    try spare.lease.withBytes { bytes throws(LibraryError) in
                        try archive.keep(spare.metadata, bytes)
                    })
            }
        } catch {
            for frame in kept { frame.release() }
            throw error
        }
        return kept
    }

    /// The frames that could stand in for the one nearest a shot's moment: the other kept frames of a deferred shot,
    /// and the neighbours while they are held.
    private func spares(_ captured: Shot.Captured) -> [UnreadFrame] {
        // A photo that is made at once has these frames already.
        let others = (captured.resolved.isDeferred ? captured.kept : []).filter {
            $0.metadata.id != captured.report.nearest.id
        }
        return others.map(\.unread) + neighbours(captured)
    }

    private func neighbours(_ captured: Shot.Captured) -> [UnreadFrame] {
        captured.spares.map { spare in
            UnreadFrame(spare.metadata) { spare.lease.withBytes { $0.withUnsafeBytes { Array($0) } } }
        }
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

    /// A frame that was to be kept, read from the library's file, or from memory if it did not fit there.
    fileprivate var unread: UnreadFrame {
        switch content {
        case .kept(let kept): kept.unread
        case .notKept(_, let bytes): UnreadFrame(metadata) { bytes }
        default: preconditionFailure("a frame nobody has kept")
        }
    }
}
