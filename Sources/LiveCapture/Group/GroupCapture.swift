// SPDX-License-Identifier: MIT
// One tap at several cameras, while their photos are made.

import LivecapDeveloping
import LivecapFrames

/// One tap at all cameras of a group: a shot for each, of the same instant.
public struct GroupCapture: Sendable {
    /// The shot of one camera.
    public struct Member: Sendable {
        /// The camera's name in its group.
        public let stream: String
        /// Its shot, numbered by its own session.
        public let capture: PhotoCapture
        /// How much later the times of its frames are than those of the group's first camera.
        public let offset: ClockOffset

        package init(stream: String, capture: PhotoCapture, offset: ClockOffset) {
            self.stream = stream
            self.capture = capture
            self.offset = offset
        }
    }

    /// The tap's name, which all of the photos have in `Photo.group`.
    public let id: String
    /// In the order of the group's streams.
    public let members: [Member]

    package init(id: String, members: [Member]) {
        self.id = id
        self.members = members
    }

    /// Cancels the shots of all cameras, except those that are already stored.
    public func cancel() {
        for member in members { member.capture.cancel() }
    }

    /// Waits until each camera has a photo, or the proxy of a deferred one, or has failed. A camera that fails does not
    /// keep the others from their photos. Cancelling the task does not shorten this.
    public func photo() async -> GroupPhoto {
        var results: [GroupPhoto.Member] = []
        for member in members {
            results.append(
                GroupPhoto.Member(
                    stream: member.stream, result: await Task { await member.capture.end() }.value,
                    offset: member.offset))
        }
        return GroupPhoto(id: id, members: results)
    }
}
