// SPDX-License-Identifier: MIT
// The thread that follows the cameras, and the board on which it writes.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Synchronization

/// What is known of the cameras, for any number of readers.
final class CameraBoard: Sendable {
    struct Content: Sendable {
        /// Nil before the first look.
        var cameras: [ConnectedCamera]?
        /// The user's choices.
        private(set) var history = CameraHistory.Content()
        /// For each choice made since the first look, the newest arrival by then.
        private(set) var arrivalsBeforeChoices: [String: Int] = [:]
        /// Why changes may be noticed late; nil if they are not.
        var notice: String?

        /// Notes the user's choices. The newest of them is a new one if it was not the newest before, or is `made` just
        /// now.
        mutating func take(_ choices: CameraHistory.Content, isNewestMade made: Bool = false) {
            if let newest = choices.choices.first?.identity, made || newest != history.choices.first?.identity {
                arrivalsBeforeChoices[newest] = cameras?.map(\.arrival).max() ?? 0
            }
            history = choices
        }

        /// The user's choices, and what arrived after each.
        var preference: CameraPreference {
            CameraPreference(choices: history.choices, arrivalsBefore: arrivalsBeforeChoices)
        }
    }

    private let content = Guarded(Content())
    private let changes = Atomic<Int>(0)
    private let listeners = Guarded<[WakeEvent]>([])
    /// Rung after each change.
    let bell = AsyncBell()

    var now: Content { content.withLock { $0 } }
    /// Another number after each change.
    var version: Int { changes.load(ordering: .acquiring) }

    /// Calls `body`, which returns whether it has changed something.
    func update(_ body: (inout Content) -> Bool) {
        guard content.withLock({ body(&$0) }) else { return }
        changes.wrappingAdd(1, ordering: .releasing)
        bell.ring()
        for listener in listeners.withLock({ $0 }) { listener.raise() }
    }

    /// Raises the event after each change.
    func raise(_ event: WakeEvent) { listeners.withLock { $0.append(event) } }
}

/// Follows the cameras for as long as it is referred to.
final class CameraWatch: Sendable {
    let board = CameraBoard()
    let directory: CameraDirectory
    private let stop: WakeEvent

    /// Starts the thread.
    /// - Throws: `shortage` if the system has no thread or descriptor left.
    init(_ directory: CameraDirectory) throws(CameraError) {
        self.directory = directory
        do throws(SystemShortage) {
            let stop = try WakeEvent()
            self.stop = stop
            let board = board
            try SystemThread(name: "cameras") {
                var follower = CameraFollower(directory, board)
                follower.run(until: stop)
            }.detach()
        } catch { throw .shortage(error) }
    }

    deinit { stop.raise() }
}

/// The thread's own: where reports come from, and the account of the nodes.
private struct CameraFollower: ~Copyable {
    private let directory: CameraDirectory
    private let board: CameraBoard
    private let monitor = DeviceMonitor()
    private var folders = FolderWatch()
    private var scan: CameraScan
    /// When to look at all nodes, because something happened that udev may not report.
    private var nextLook: Timestamp?
    private let isServed: Bool
    private let seesFolders: Bool

    /// udev's reports are a little later than the kernel's. What it has not reported after this time, it never will.
    private static let udevPatience = Duration.seconds(1)
    /// How often to look if nothing reports changes.
    private static let slowly = Duration.seconds(2)

    init(_ directory: CameraDirectory, _ board: CameraBoard) {
        self.directory = directory
        self.board = board
        scan = CameraScan(directory)
        // A sandbox may show udev's files and forbid its socket.
        isServed = monitor != nil && DeviceMonitor.isServed && directory.isOfThisMachine
        seesFolders = folders.add(directory.devices)
        // The folder is made for the sake of the watch: the user may make the first choice later, elsewhere.
        if let history = directory.history { _ = folders.add(history.makeFolder()) }
    }

    mutating func run(until stop: WakeEvent) {
        let means = seesFolders ? "" : ", every \(Self.slowly.nanoseconds / 1_000_000_000) s"
        let notice =
            isServed ? nil : "udev cannot be heard here: cameras are found by looking at \(directory.devices)\(means)"
        scan.look(at: .now)
        publish(choices: true, notice: notice)
        var polled = [
            pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: folders.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: monitor?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let now = Timestamp.now
            let waits = [
                scan.patience(at: now, isWatched: seesFolders), nextLook.map { max($0 - now, .zero) },
                seesFolders || isServed ? nil : Self.slowly,
            ]
            let wait = waits.compactMap(\.self).min()
            let milliseconds = wait.map { Int32(clamping: $0.nanoseconds / 1_000_000 + 1) } ?? -1
            guard poll(&polled, 3, milliseconds) >= 0 else { continue }
            if polled[0].revents != 0 { return }
            takeNote(isIdle: polled.allSatisfy { $0.revents == 0 })
        }
    }

    private mutating func takeNote(isIdle: Bool) {
        var isOfChoices = false
        while let event = monitor?.next() { scan.note(event, at: .now) }
        for change in folders.changes() {
            if change.folder == directory.devices {
                guard change.name.isEmpty || change.name.hasPrefix("video") else { continue }
                if change.isGone && !isServed { scan.note(.removed(change.name), at: .now) }
                nextLook = .now + (isServed ? Self.udevPatience : .zero)
            } else {
                isOfChoices = true
            }
        }
        if nextLook.map({ $0 <= .now }) ?? (isIdle && !seesFolders && !isServed) {
            nextLook = nil
            scan.look(at: .now)
        }
        scan.tryForbidden()
        publish(choices: isOfChoices)
    }

    private func publish(choices: Bool, notice: String? = nil) {
        let cameras = scan.cameras(at: .now)
        let history = choices ? directory.history?.read() : nil
        board.update { content in
            let isNew = cameras != content.cameras || (history != nil && history != content.history)
            content.cameras = cameras
            if let history { content.take(history) }
            if let notice { content.notice = notice }
            return isNew
        }
    }
}
