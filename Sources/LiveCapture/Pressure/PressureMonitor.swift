// SPDX-License-Identifier: MIT
// The thread that follows the pressure on the machine.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Follows the pressure on the machine for as long as it is referred to.
public final class SystemPressureMonitor: Sendable {
    private let board: PressureBoard
    private let stop: WakeEvent

    /// Begins to follow it, on a thread of its own.
    /// - Throws: the shortage, if the system has no thread or descriptor left.
    public convenience init() throws(SystemShortage) { try self.init(root: "") }

    /// The same below a root of one's own. `onChange` is called on the thread, with each change.
    init(
        root: String, onChange: @escaping @Sendable (SystemPressure) -> Void = { _ in }
    ) throws(SystemShortage) {
        let (stop, board) = (try WakeEvent(), PressureBoard())
        self.stop = stop
        self.board = board
        try SystemThread(name: "pressure") {
            var watch = PressureWatch(PressureReader(root: root))
            watch.run(until: stop) { pressure, notice in
                guard board.put(pressure, notice) else { return }
                onChange(pressure)
            }
        }.detach()
    }

    deinit { stop.raise() }

    /// The pressure now.
    public var current: SystemPressure { board.now.pressure }

    /// Why pressure may be noticed up to two seconds late; nil if it is not.
    public var notice: String? { board.now.notice }

    /// The pressure now, and whenever it changes.
    public var changes: SystemPressures { SystemPressures(board) }
}

/// The newest pressure, for any number of readers.
final class PressureBoard: Sendable {
    private let content = Guarded((pressure: SystemPressure.none, notice: String?.none))
    let bell = AsyncBell()

    var now: (pressure: SystemPressure, notice: String?) { content.withLock { $0 } }

    /// Returns whether the pressure is another one: of another level, or with other causes.
    func put(_ pressure: SystemPressure, _ notice: String?) -> Bool {
        let hasChanged = content.withLock { content in
            defer { content = (pressure, notice) }
            return !content.pressure.isLike(pressure)
        }
        if hasChanged { bell.ring() }
        return hasChanged
    }
}

extension SystemPressure {
    /// Whether level and causes are the same; figures change all the time.
    fileprivate func isLike(_ other: SystemPressure) -> Bool {
        level == other.level && factors.count == other.factors.count
            && zip(factors, other.factors).allSatisfy { $0.resource == $1.resource && $0.level == $1.level }
    }
}

/// The pressure as it changes. Ends when the reader's task is cancelled.
///
/// Each iteration begins with the present one. A slow reader gets the newest, not those in between.
public struct SystemPressures: AsyncSequence, Sendable {
    /// A change is no failure, and there are no others.
    public typealias Failure = Never

    private let board: PressureBoard

    init(_ board: PressureBoard) { self.board = board }

    /// Begins with the present one.
    public func makeAsyncIterator() -> Iterator { Iterator(board) }

    /// One reader's place.
    public struct Iterator: AsyncIteratorProtocol {
        private let board: PressureBoard
        private var last: SystemPressure?

        fileprivate init(_ board: PressureBoard) { self.board = board }

        /// The next one; nil if the task is cancelled.
        public mutating func next() async -> SystemPressure? { await next(isolation: nil) }

        /// The next one; nil if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SystemPressure? {
            let found = await board.bell.first(isolation: actor) { () -> SystemPressure? in
                let now = board.now.pressure
                return last.map { $0.isLike(now) } ?? false ? nil : now
            }
            if let found { last = found }
            return found
        }
    }
}

/// The thread's own: the kernel's triggers, and when to look.
private struct PressureWatch: ~Copyable {
    private let reader: PressureReader
    private var gauge = PressureGauge()
    private var triggers: [pollfd] = []
    private let notice: String?

    /// A tenth of a second within two: below every limit, so that nothing is missed. The kernel permits windows of a
    /// multiple of two seconds to everybody from Linux 6.4 on, others to privileged programs only.
    private static let trigger = "some 100000 2000000"
    /// How often to look while there is pressure, or if the kernel reports none by itself.
    private static let often = Duration.seconds(2)
    /// How often to look at the temperatures otherwise.
    private static let seldom = Duration.seconds(10)
    /// How long to look often after a report of the kernel.
    private static let alertness = Duration.seconds(20)

    init(_ reader: PressureReader) {
        self.reader = reader
        var isPolling = false
        for account in PressureReader.accounts {
            guard access(reader.path(of: account.name), F_OK) == 0 else { continue }
            // A file of a test is not the kernel's account, and is not to be written to.
            let descriptor = reader.root.isEmpty ? Self.open(reader.path(of: account.name)) : -1
            if descriptor >= 0 {
                triggers.append(pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0))
            } else {
                isPolling = true
            }
        }
        notice = isPolling ? "the kernel does not report pressure to this user: it is looked for every 2 s" : nil
    }

    deinit { for trigger in triggers { close(trigger.fd) } }

    /// Asks the kernel to report stalls of an account. -1 if it will not.
    private static func open(_ path: String) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        let length = Self.trigger.utf8.count + 1
        if Self.trigger.withCString({ write(descriptor, $0, length) }) == length { return descriptor }
        close(descriptor)
        return -1
    }

    /// Looks until `stop` is raised, and reports each look.
    mutating func run(until stop: WakeEvent, _ report: (SystemPressure, String?) -> Void) {
        var alertUntil = Timestamp.now
        while true {
            let factors = reader.factors
            gauge.note(factors.first?.level ?? .nominal, at: .now)
            report(SystemPressure(level: gauge.level, factors: factors), notice)
            let isCalm = gauge.level == .nominal && notice == nil && Timestamp.now >= alertUntil
            let wait = isCalm ? Self.seldom : Self.often
            // While it looks often anyway, further reports of the kernel would only wake it.
            var polled = [pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)] + (isCalm ? triggers : [])
            guard poll(&polled, UInt(polled.count), Int32(wait.nanoseconds / 1_000_000)) >= 0 else { continue }
            if polled[0].revents != 0 { return }
            if polled.dropFirst().contains(where: { $0.revents != 0 }) { alertUntil = .now + Self.alertness }
        }
    }
}
