// SPDX-License-Identifier: MIT
// Signals to a whole process, as `kill` sends them. Each test is a process of its own with an asynchronous main
// function, whose threads the runtime started before there was a shutter.

import Glibc
import LivecapCSystem
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Testing

@testable import Shutter

/// Starts a thread that blocks no signal, and returns its id. It ends with the process.
private func threadWithoutMask() throws -> pid_t {
    let hasBegun = Gate()
    try SystemThread(name: "open") {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        hasBegun.open()
        while true { pause() }
    }.detach()
    hasBegun.wait()
    return try #require(threads(named: "open").first)
}

/// The thread sanitizer delays signals, and keeps one of each kind meanwhile.
private let losesQueuedSignals = getenv("LIVECAP_SANITIZER").map { String(cString: $0) } == "thread"

extension Sources {
    @Suite struct SignalProcessTests {
        @Test func aThreadThatBlocksNoSignalDoesNotEndTheProcess() async {
            await #expect(processExitsWith: .success) {
                alarm(Patience.alarm)
                let open = try threadWithoutMask()
                let shutter = try SignalShutter()
                var events = shutter.events.makeAsyncIterator()
                for sent in 1...3 {
                    if sent == 1 { kill(getpid(), SIGUSR1) } else { _ = lc_queue_signal(open, SIGUSR1, 0) }
                    guard case .pressed? = await events.next(), case .released? = await events.next() else {
                        exit(1)
                    }
                }
                shutter.close()
                try #require(await events.next() == nil)
            }
        }

        @Test(.disabled(if: losesQueuedSignals)) func everyQueuedSignalOfSeveralSendersArrives() async {
            await #expect(processExitsWith: .success) {
                alarm(Patience.alarm)
                _ = try threadWithoutMask()
                let shutter = try SignalShutter()
                var events = shutter.events.makeAsyncIterator()
                let senders = try (0..<4).map { _ in
                    try SystemThread(name: "sender") {
                        for _ in 0..<250 {
                            // EAGAIN: the queue is full (`ulimit -i`).
                            while sigqueue(getpid(), lc_first_realtime_signal(), sigval()) != 0 { usleep(100) }
                        }
                    }
                }
                var presses = 0
                while presses < 1000, let event = await events.next() {
                    if case .pressed = event { presses += 1 }
                }
                for sender in senders { sender.join() }
                try #require(events.droppedCount == 0 && shutter.droppedPresses == 0)
            }
        }

        @Test func plainSignalsOfSeveralSendersAreOnePressEachAtMost() async {
            await #expect(processExitsWith: .success) {
                alarm(Patience.alarm)
                let events = Log<ShutterEvent>()
                let shutter = try SignalShutter(onEvent: events.add)
                let senders = try (0..<4).map { _ in
                    try SystemThread(name: "sender") { for _ in 0..<250 { kill(getpid(), SIGUSR1) } }
                }
                for sender in senders { sender.join() }
                try #require(isClick(try events.first(2)))
                shutter.close()
                try #require(events.entries.count <= 2000)
            }
        }

        @Test func handlersInstalledFirstCatchPressesBeforeAndAfterTheShutter() async {
            await #expect(processExitsWith: .success) {
                alarm(Patience.alarm)
                SignalShutter.installHandlers()
                lc_presses_unblock()
                raise(SIGUSR1)
                let shutter = try SignalShutter()
                try #require(shutter.earlyPresses == 1)
                shutter.close()
                raise(SIGUSR1)
            }
        }
    }
}
