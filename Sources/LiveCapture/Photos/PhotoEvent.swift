// SPDX-License-Identifier: MIT
// The events of a shot, from the tap to the photo.

import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage

/// An event of a shot. Every shot ends with exactly one `photo`, `proxy` or `failed`.
public enum PhotoEvent: Hashable, Sendable {
    /// The settings are resolved, and the frames are there or can still come. A shot that cannot be served, because its
    /// moment has left the history or there is no room, fails without this.
    case willBeginCapture(ResolvedPhotoSettings)
    /// The frames are held. Anything that happens in front of the camera from now on cannot be in the photo.
    case didFinishCapture(CapturedFrames)
    /// The library's disk has no room for the source frames that were to be kept. The photo is made at once, and stored
    /// without them; its `notes` say so.
    case framesNotKept(LibraryError)
    /// The photo is finished.
    case photo(Photo)
    /// The proxy of a deferred photo is ready. Both the proxy and the frames needed for the final are durable in the
    /// library.
    case proxy(DeferredPhotoProxy)
    /// The shot failed.
    case failed(PhotoError)

    /// The photo, the proxy of a deferred photo (`isProxy`), or the error, if this is the last event; else nil.
    public var end: Result<Photo, PhotoError>? {
        switch self {
        case .photo(let photo): .success(photo)
        case .proxy(let proxy): .success(proxy.photo)
        case .failed(let error): .failure(error)
        case .willBeginCapture, .didFinishCapture, .framesNotKept: nil
        }
    }
}

/// The frames a shot was given.
public struct CapturedFrames: Hashable, Codable, Sendable {
    /// The frame nearest the tap.
    public let nearest: FrameMetadata
    /// How many are held.
    public let count: Int
    /// When they were held, on CLOCK_MONOTONIC.
    public let held: Timestamp
    /// The newest frame at that time: the one the shot waited for, if it waited.
    public let newest: FrameID
    /// How long the shot waited for them since the tap was made, or since it was due if that was later.
    public let wait: Duration
}

/// A shot in progress, as the sequence of its events.
///
/// Any number of readers may follow it, at any time; every one gets all events. A cancelled reader stops reading, and
/// the shot goes on: `cancel()` cancels that.
public struct PhotoCapture: AsyncSequence, Sendable {
    /// Events never fail; a failed shot ends with `failed`.
    public typealias Failure = Never

    /// The shot's number.
    public let id: ShotID
    private let events: EventSequence<PhotoEvent>
    private let cancellation: @Sendable () -> Void

    init(_ id: ShotID, _ events: EventSequence<PhotoEvent>, cancellation: @escaping @Sendable () -> Void) {
        self.id = id
        self.events = events
        self.cancellation = cancellation
    }

    /// Cancels the shot at any stage. It then fails as `cancelled`, unless it is already stored.
    public func cancel() { cancellation() }

    /// Begins with the shot's first event.
    public func makeAsyncIterator() -> EventSequence<PhotoEvent>.Iterator { events.makeAsyncIterator() }

    /// Waits for the photo, or the proxy of a deferred one (`isProxy`).
    ///
    /// Throws the shot's failure. Throws `cancelled` at once if the task is cancelled; the shot goes on.
    public func photo() async throws(PhotoError) -> Photo {
        guard !Task.isCancelled else { throw .cancelled }
        return try await end().get()
    }

    /// Waits for the shot's end.
    func end() async -> Result<Photo, PhotoError> {
        for await event in self {
            if let end = event.end { return end }
        }
        return .failure(.cancelled)
    }
}
