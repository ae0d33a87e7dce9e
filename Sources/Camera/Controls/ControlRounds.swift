// SPDX-License-Identifier: MIT
// Sets controls of a camera that has just been plugged in: what it fails at is tried again, after growing waits.

import Glibc
import LivecapFrames

/// How often a camera is asked again, and by which clock.
struct ControlPace: Sendable {
    /// The waits between tries, which grow.
    var waits: [Duration]
    /// No try begins later than this after the first. A camera that does not answer takes five seconds for each.
    var limit: Duration
    /// The time now. Tests give another clock.
    var now: @Sendable () -> Timestamp = { .now }
    /// Sleeps.
    var wait: @Sendable (Duration) -> Void = { usleep(UInt32(clamping: $0.nanoseconds / 1000)) }

    /// Before the first frame, which should not come much later.
    static let opening = ControlPace(
        waits: [.milliseconds(50), .milliseconds(150), .milliseconds(400)], limit: .seconds(6))
    /// While nobody waits.
    static let plugged = ControlPace(
        waits: [.milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)], limit: .seconds(20))
}

/// The controls that are still to be set, and when to try them again. It never sleeps.
struct ControlRounds<Change> {
    /// A change that was not made, and the errno.
    struct Failure {
        let change: Change
        let errno: Int32
    }

    /// What the camera failed at, and may do later.
    private(set) var open: [Failure]
    /// What it refused.
    private(set) var refused: [Failure] = []
    /// When to try again; nil once nothing is tried any more.
    private(set) var due: Timestamp?
    private var waits: ArraySlice<Duration>
    private let end: Timestamp

    /// Changes in the order in which they are to be made. The first round is due at once.
    init(_ changes: [Change], _ pace: ControlPace) {
        open = changes.map { Failure(change: $0, errno: 0) }
        waits = pace.waits[...]
        let now = pace.now()
        due = changes.isEmpty ? nil : now
        end = now + pace.limit
    }

    /// What is not set.
    var failures: [Failure] { refused + open }
    /// Whether the camera was unplugged meanwhile.
    var isGone: Bool { open.contains { $0.errno == ENODEV } }

    /// The answers of `uvcvideo` while a camera is still starting.
    static func mayPass(_ errno: Int32) -> Bool { [EIO, EPIPE, ETIMEDOUT].contains(errno) }

    /// Tries all that are open. `set` returns 0, or a negative errno.
    mutating func run(_ pace: ControlPace, _ set: (Change) -> Int32) {
        let changes = open
        open = []
        // Of one that does not answer nothing more is asked in this round.
        var answers = true
        for change in changes.map(\.change) {
            let errno = answers ? -set(change) : ETIMEDOUT
            switch errno {
            case 0: continue
            case ENODEV:
                open.append(Failure(change: change, errno: errno))
                answers = false
            case _ where Self.mayPass(errno):
                open.append(Failure(change: change, errno: errno))
                if errno == ETIMEDOUT { answers = false }
            // A value is refused while the mode that unlocks it has not been set.
            case _ where !open.isEmpty: open.append(Failure(change: change, errno: errno))
            default: refused.append(Failure(change: change, errno: errno))
            }
        }
        let next = pace.now() + (waits.popFirst() ?? pace.limit)
        due = open.isEmpty || isGone || next >= end ? nil : next
    }
}

extension ControlPace {
    /// Tries changes until they are made, refused or given up. Sleeps between the tries.
    func run<Change>(_ changes: [Change], _ set: (Change) -> Int32) -> ControlRounds<Change> {
        var rounds = ControlRounds(changes, self)
        while let due = rounds.due {
            let pause = due - now()
            if pause > .zero { wait(pause) }
            rounds.run(self, set)
        }
        return rounds
    }

    /// The same for a question to the camera.
    func ask<Answer>(_ question: () throws(CameraError) -> Answer) throws(CameraError) -> Answer {
        var answer = Result { () throws(CameraError) in try question() }
        var isFirst = true
        _ = run([()]) { _ in
            if !isFirst { answer = Result { () throws(CameraError) in try question() } }
            isFirst = false
            return answer.errno
        }
        return try answer.get()
    }
}

extension Result where Failure == CameraError {
    /// 0, or the driver's negative errno. What is no answer of the driver does not pass.
    var errno: Int32 {
        guard case .failure(let error) = self else { return 0 }
        guard case .driver(_, _, let errno) = error else { return -EINVAL }
        return -errno
    }
}
