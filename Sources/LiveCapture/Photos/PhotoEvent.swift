// SPDX-License-Identifier: MIT
// What happens to a shot, from the tap to the photo.

import Frames

/// What happens to a shot. Each one has exactly one `photo`, `proxy` or `failed`, which is its last event.
public enum PhotoEvent: Sendable {
    /// Its settings are resolved, and its frames are being waited for.
    case willBeginCapture(ResolvedPhotoSettings)
    /// Its frames are held: whatever happens in front of the camera now is another photo's.
    case didFinishCapture(CapturedFrames)
    /// It is there.
    case photo(Photo)
    /// A quick picture of its moment is there, and the photo is left for later. Both are durable: whatever happens now, the
    /// library has the one and all that is needed for the other.
    case proxy(DeferredPhotoProxy)
    /// There will be none.
    case failed(PhotoError)
}

/// The frames a shot was given.
public struct CapturedFrames: Hashable, Sendable {
    /// The frame nearest the tap.
    public let nearest: FrameMetadata
    /// How many are held.
    public let count: Int
    /// When they were held, on CLOCK_MONOTONIC.
    public let held: Timestamp
    /// The newest frame there was then: the one that was waited for, if any was.
    public let newest: FrameID
    /// How long they were waited for since the tap was made, or was due if that came later.
    public let wait: TimeSpan
}

/// A shot on its way: its events in order.
public struct PhotoCapture: AsyncSequence, Sendable {
    /// Which shot it is.
    public let id: ShotID
    private let events: AsyncStream<PhotoEvent>
    private let cancellation: @Sendable () -> Void

    init(_ id: ShotID, _ events: AsyncStream<PhotoEvent>, cancellation: @escaping @Sendable () -> Void) {
        (self.id, self.events, self.cancellation) = (id, events, cancellation)
    }

    /// Gives the shot up, whatever stage it is in; it then fails as `cancelled`, unless its file has got its name already.
    public func cancel() { cancellation() }

    /// Goes through the events. One reader only.
    public func makeAsyncIterator() -> AsyncStream<PhotoEvent>.Iterator { events.makeAsyncIterator() }

    /// Waits for the photo, or for the proxy of one that is made later (`isProxy`). A task that is cancelled meanwhile cancels the shot.
    public func photo() async throws(PhotoError) -> Photo {
        let events = events
        let last = await withTaskCancellationHandler {
            // In a task of its own, which nobody cancels: the last event says what became of the file.
            await Task { await events.reduce(nil as PhotoEvent?) { $1 } }.value
        } onCancel: {
            cancel()
        }
        switch last {
        case .photo(let photo): return photo
        case .proxy(let proxy): return proxy.photo
        case .failed(let error): throw error
        default: throw .cancelled
        }
    }
}
