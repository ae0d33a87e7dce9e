// SPDX-License-Identifier: MIT
// A shot's photo, made on the bench of a worker.

import Frames
import FusionKernels

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
        let request = PhotoRequest(shot, of: desk.description)
        let waits = [("wait", shot.captured?.wait ?? .zero), ("queue", shot.taken - shot.held)]
        return try developer.photo(
            of: request, shot.frames.map(\.read), spares: spares(of: shot), stages: waits + shot.readingTimes,
            watch(over: shot))
    }

    /// The neighbours that could stand in for a shot's frames.
    private func spares(of shot: Shot) -> [SpareFrame] {
        let shape = desk.state.withLock { $0.shape }
        return shot.spares.map { spare in
            SpareFrame(metadata: spare.metadata) { [self] times throws(UnusableFrame) in
                try prepare(spare, shape, nil, &times)
            }
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
    /// The frame as a developer takes it.
    fileprivate var read: ReadFrame {
        let content: ReadFrame.Content =
            switch content {
            case .prepared(let frame): .prepared(frame)
            case .bytes(let bytes, let reason): .bytes(bytes, reason: reason)
            case .unusable(let reason): .unusable(reason: reason)
            case .held: preconditionFailure("a frame nobody has read")
            }
        return ReadFrame(metadata: metadata, content: content)
    }
}
