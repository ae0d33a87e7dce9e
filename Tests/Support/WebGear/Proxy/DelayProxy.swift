// SPDX-License-Identifier: MIT
// A slow network between a browser and a server: a proxy that passes bytes on after a delay.

import Glibc
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Synchronization

/// Accepts connections on a port of its own and passes their bytes to a server's port and back, later.
///
/// Connections themselves come about at once: only bytes are delayed. On a real network of the same delay, a new
/// connection would cost one more round trip.
package final class DelayProxy: Sendable {
    /// A direction.
    package enum Direction: CaseIterable, Sendable {
        case toServer
        case toClient
    }

    /// The port to connect to.
    package let port: UInt16
    private let board: ProxyBoard
    private let thread: SystemThread

    /// Starts a proxy to a port of this machine, with one pace for both directions.
    /// - Throws: `WireError` and `SystemShortage`.
    package init(to server: UInt16, pace: DelayLine.Pace = DelayLine.Pace()) throws {
        let listener = try TCPListener()
        let board = try ProxyBoard(pace)
        (self.board, port) = (board, listener.port)
        // The loop makes everything else by itself, so only the listener is handed over, and never used here again.
        let handed = Handover(listener)
        thread = try SystemThread(name: "proxy") {
            var loop = ProxyLoop(handed.value, board, server: server)
            loop.run()
        }
    }

    /// Starts a proxy that delays each direction.
    /// - Throws: `WireError` and `SystemShortage`.
    package convenience init(to server: UInt16, eachWay delay: Duration) throws {
        try self.init(to: server, pace: DelayLine.Pace(delay: delay))
    }

    /// Changes the pace of a direction, also for connections that there are. What is on the way keeps its time.
    package func change(_ direction: Direction, _ change: (inout DelayLine.Pace) -> Void) {
        board.update { state in
            switch direction {
            case .toServer: change(&state.toServer)
            case .toClient: change(&state.toClient)
            }
        }
    }

    /// Stops a direction: once this returns, nothing is read from the sender and nothing reaches the receiver until
    /// `resume`.
    package func stall(_ direction: Direction) {
        change(direction) { $0.isStalled = true }
        let number = board.update { state in
            state.looksAsked += 1
            return state.looksAsked
        }
        // The thread may be passing on by what it saw before.
        while board.state.looksDone < number { sched_yield() }
    }

    /// Lets a stalled direction go on.
    package func resume(_ direction: Direction) { change(direction) { $0.isStalled = false } }

    /// Breaks all connections off, and returns when that is done. New ones are accepted.
    package func breakAll() throws {
        let number = board.update { state in
            state.breaksAsked += 1
            return state.breaksAsked
        }
        try eventually("the end of all connections") { board.state.breaksDone >= number }
    }

    /// Whether new connections are broken off at once, as while a server is away.
    package var isRefusing: Bool {
        get { board.state.isRefusing }
        set { board.update { $0.isRefusing = newValue } }
    }

    /// The number of connections there are, and of all there ever were.
    package var connections: (now: Int, ever: Int) { (board.state.connectionsNow, board.state.connectionsEver) }

    /// How many bytes have left in a direction.
    package func bytesPassed(_ direction: Direction) -> Int {
        direction == .toServer ? board.state.bytesToServer : board.state.bytesToClient
    }

    /// Breaks all connections off and ends the proxy. Call it once, and use the proxy no more.
    package func close() {
        board.update { $0.isClosing = true }
        thread.join()
    }
}

/// What the proxy's thread and its users tell each other.
final class ProxyBoard: Sendable {
    struct State {
        var toServer: DelayLine.Pace
        var toClient: DelayLine.Pace
        var isRefusing = false
        var isClosing = false
        var looksAsked = 0
        var looksDone = 0
        var breaksAsked = 0
        var breaksDone = 0
        var connectionsNow = 0
        var connectionsEver = 0
        var bytesToServer = 0
        var bytesToClient = 0
    }

    let wake: WakeEvent
    private let guarded: Guarded<State>

    init(_ pace: DelayLine.Pace) throws {
        wake = try WakeEvent()
        guarded = Guarded(State(toServer: pace, toClient: pace))
    }

    var state: State { guarded.withLock { $0 } }

    /// Changes the state and wakes the proxy's thread.
    func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        defer { wake.raise() }
        return guarded.withLock { change(&$0) }
    }

    /// Changes what the proxy's thread reports, which it need not be woken for.
    func report(_ change: (inout State) -> Void) { guarded.withLock { change(&$0) } }
}

/// Hands a value to another thread, once.
private final class Handover<Value>: @unchecked Sendable {  // safe: the giver does not use the value afterwards
    let value: Value
    init(_ value: Value) { self.value = value }
}
