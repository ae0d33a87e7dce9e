// SPDX-License-Identifier: MIT
// Whoever waits for a camera in use learns that it was closed.

import Foundation
import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct ReleaseWatchTests {
    private let machine = MachineTree()

    /// Waits on another thread, and returns what says whether the wait is over.
    private func wait(of path: String, _ event: WakeEvent) throws -> EndNotice {
        let end = EndNotice()
        try SystemThread(name: "waiter") {
            ReleaseWatch(of: path).wait(orFor: event)
            end.note()
        }.detach()
        return end
    }

    @Test func aProgramThatClosesItEndsTheWait() throws {
        machine.plug(0)
        let end = try wait(of: machine.path(0), try WakeEvent())
        // It may not have begun to watch yet.
        while !end.wait(until: 0) {
            close(open(machine.path(0), O_RDONLY))
            sched_yield()
        }
    }

    @Test(arguments: [true, false]) func anEventEndsTheWait(isThere: Bool) throws {
        if isThere { machine.plug(0) }
        let event = try WakeEvent()
        event.raise()
        #expect(try wait(of: machine.path(0), event).wait(until: .max))
    }
}
