// SPDX-License-Identifier: MIT
// Follows the controls of a camera as anybody changes them.

import Glibc
import LivecapThreads

/// A camera's controls as they change. Each iteration begins with the present ones. A slow reader gets the newest.
///
/// Ends when the camera is unplugged, or when the reader's task is cancelled.
public struct ControlChanges: AsyncSequence, Sendable {
    /// The end is no failure, and there are no others.
    public typealias Failure = Never

    let watch: ControlWatch

    /// Begins with the present ones.
    public func makeAsyncIterator() -> Iterator { Iterator(watch: watch) }

    /// One reader's place.
    public struct Iterator: AsyncIteratorProtocol {
        let watch: ControlWatch
        private var seen = 0

        fileprivate init(watch: ControlWatch) { self.watch = watch }

        /// The controls after the next change; nil once the camera is unplugged, or if the task is cancelled.
        public mutating func next() async -> [CameraControl]? { await next(isolation: nil) }

        /// The controls after the next change; nil once the camera is unplugged, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> [CameraControl]? {
            let board = watch.board
            return await board.bell.first(isolation: actor) { () -> [CameraControl]?? in
                let now = board.now
                guard now.version != seen else { return now.hasEnded ? .some(nil) : nil }
                seen = now.version
                return .some(now.controls)
            } ?? nil
        }
    }
}

/// The thread that follows a camera's controls, for as long as it is referred to.
final class ControlWatch: Sendable {
    final class Board: Sendable {
        struct Content: Sendable {
            var controls: [CameraControl] = []
            /// Counts the changes; 0 before the first look.
            var version = 0
            var hasEnded = false
        }
        private let content = Guarded(Content())
        let bell = AsyncBell()

        var now: Content { content.withLock { $0 } }

        func note(_ controls: [CameraControl]) {
            let isNew = content.withLock { content in
                guard content.version == 0 || content.controls != controls else { return false }
                (content.controls, content.version) = (controls, content.version + 1)
                return true
            }
            if isNew { bell.ring() }
        }

        func end() {
            content.withLock { $0.hasEnded = true }
            bell.ring()
        }
    }

    let board = Board()
    private let stop: WakeEvent

    init(_ path: String) throws(CameraError) {
        // A separate descriptor: a driver does not report a change to the descriptor that made it.
        let device = try ControlDevice(path)
        do throws(SystemShortage) {
            let stop = try WakeEvent()
            self.stop = stop
            let board = board
            try SystemThread(name: "controls") { follow(device, board, until: stop) }.detach()
        } catch { throw .shortage(error) }
    }

    deinit { stop.raise() }
}

/// A device that is passed to its thread.
private final class ControlDevice: Sendable {
    let device: V4L2Device
    init(_ path: String) throws(CameraError) { device = try V4L2Device(path: path) }
}

private func follow(_ opened: ControlDevice, _ board: ControlWatch.Board, until stop: WakeEvent) {
    defer { board.end() }
    guard let listed = try? opened.device.controls() else { return }
    opened.device.watch(controls: listed.map(\.id.rawValue))
    // Again, for what changed in between.
    guard let present = try? opened.device.controls() else { return }
    board.note(present)
    var polled = [
        pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: opened.device.descriptor, events: Int16(POLLPRI), revents: 0),
    ]
    while true {
        guard poll(&polled, 2, -1) >= 0 else { continue }
        // Without an event, it is the end of the device, or of a driver without events.
        guard polled[0].revents == 0, polled[1].revents & Int16(POLLPRI) != 0 else { return }
        opened.device.discardEvents()
        guard let controls = try? opened.device.controls() else { return }
        board.note(controls)
    }
}
