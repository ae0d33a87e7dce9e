// SPDX-License-Identifier: MIT
// The server's thread: serves the library's callbacks, and messages from other threads.

import Glibc
import LivecapCHTTP
import LivecapFrames
import LivecapThreads

/// The server's thread. Everything here belongs to it.
final class HTTPLoop {
    private let inbox: HTTPInbox
    private let limits: HTTPLimits
    private let handler: HTTPServer.Handler
    private var server: OpaquePointer?
    private var deadlines = HTTPDeadlines()
    private var watches = HTTPWatches()
    private var connections = 0
    private var exchanges: [UInt64: HTTPExchange] = [:]
    private var nextNumber: UInt64 = 0
    private var isStopping = false
    private let wake: @Sendable (HTTPStream) -> Void
    private let answer: @Sendable (UInt64, HTTPResponse) -> Void
    private let watch: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void

    init(_ inbox: HTTPInbox, _ limits: HTTPLimits, _ handler: @escaping HTTPServer.Handler) {
        self.inbox = inbox
        self.limits = limits.possible
        self.handler = handler
        wake = { inbox.wake($0) }
        answer = { inbox.add($0, $1) }
        watch = { inbox.watch($0, $1) }
    }

    /// Why the library cannot be used; nil if it can.
    static var lack: String? {
        var reason = [CChar](repeating: 0, count: 256)
        guard lc_http_load(&reason, reason.count) == 0 else { return nil }
        return String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Tells the thread that starts the server how that went.
    final class Start: Sendable {
        private let outcome = Guarded<Bool?>(nil)
        private let bell = Doorbell(spinNanoseconds: 0)

        func decide(_ hasSucceeded: Bool) {
            outcome.withLock { $0 = hasSucceeded }
            bell.ring()
        }

        /// Waits for the decision.
        var hasSucceeded: Bool {
            bell.wait { outcome.withLock { $0 != nil } }
            return outcome.withLock { $0 } == true
        }
    }

    func start(at socket: Int32, _ identity: HTTPServer.Identity?) -> Bool {
        var calls = lc_http_calls()
        calls.owner = Unmanaged.passUnretained(self).toOpaque()
        calls.opened = { HTTPLoop.owner($0).open($1) }
        calls.closed = { HTTPLoop.owner($0).close($1) }
        calls.begin = { owner, connection, head in
            guard let connection, let head else { return nil }
            return HTTPLoop.owner(owner).begin(connection, head.pointee)
        }
        calls.begun = { HTTPLoop.owner($0).refuse(HTTPLoop.exchange($1)).rawValue }
        calls.body = { owner, exchange, bytes, count in
            HTTPLoop.owner(owner).add(
                UnsafeRawBufferPointer(start: bytes, count: count), to: HTTPLoop.exchange(exchange))
        }
        calls.finish = { HTTPLoop.owner($0).finish(HTTPLoop.exchange($1)).rawValue }
        calls.end = { HTTPLoop.owner($0).end(HTTPLoop.exchange($1)) }
        let stall = UInt32(max(1, limits.stallTime.seconds))
        server = lc_http_start(
            socket, UInt32(limits.connections), stall, identity?.key, identity?.certificate, &calls)
        return server != nil
    }

    func run() {
        guard let server else { return }
        while true {
            let watched = watches.polled
            var descriptors =
                [
                    pollfd(fd: lc_http_descriptor(server), events: Int16(POLLIN), revents: 0),
                    pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
                ] + watched.descriptors
            _ = poll(&descriptors, nfds_t(descriptors.count), patience(server))
            for leave in watches.takeLeft(watched.numbers, descriptors.dropFirst(2)) { leave() }
            if descriptors[1].revents != 0 {
                let contents = inbox.take()
                if contents.isStopping {
                    for answer in contents.replies { answer.response.discard() }
                    break
                }
                for answer in contents.replies { deliver(answer) }
                for (number, action) in contents.watches { begin(watching: number, action) }
                for stream in contents.streams { resume(stream) }
            }
            lc_http_run(server)
            for socket in deadlines.takeLate(at: .now) { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        stop(server)
    }

    /// How long to wait for the next event, in milliseconds.
    private func patience(_ server: OpaquePointer) -> Int32 {
        let own = deadlines.next.map { max(1, Int32(clamping: ($0 - .now).nanoseconds / 1_000_000 + 1)) } ?? -1
        let library = lc_http_timeout(server)
        return own < 0 ? library : library < 0 ? own : min(own, library)
    }

    private func stop(_ server: OpaquePointer) {
        // The library does not stop while a connection rests.
        isStopping = true
        for exchange in exchanges.values {
            if exchange.isResting { deliver(HTTPInbox.Answer(number: exchange.number, response: HTTPResponse(503))) }
            if let stream = exchange.stream {
                stream.isCutOff = true
                resume(stream)
            }
            shutdown(exchange.socket, Int32(SHUT_RDWR))
        }
        lc_http_run(server)
        lc_http_stop(server)
        self.server = nil
    }

    // MARK: What the library calls

    private static func owner(_ pointer: UnsafeMutableRawPointer?) -> HTTPLoop {
        guard let pointer else { preconditionFailure("the library passes on what it was given") }
        return Unmanaged<HTTPLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func exchange(_ pointer: UnsafeMutableRawPointer?) -> HTTPExchange {
        guard let pointer else { preconditionFailure("the library passes on what it was given") }
        return Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func open(_ socket: Int32) {
        connections += 1
        var bytes: Int32 = 32768
        // What the system keeps unsent is delay: a slow viewer then gets newer frames instead.
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
        if connections > limits.connections - limits.connections / 10, let oldest = deadlines.takeOldest() {
            shutdown(oldest, Int32(SHUT_RDWR))
        }
        deadlines.expect(socket, by: .now + limits.requestTime)
    }

    private func close(_ socket: Int32) {
        connections -= 1
        deadlines.settle(socket)
    }

    private func begin(_ connection: OpaquePointer, _ head: lc_http_head) -> UnsafeMutableRawPointer {
        let exchange = HTTPExchange(nextNumber, connection, head)
        nextNumber += 1
        exchanges[exchange.number] = exchange
        deadlines.expect(exchange.socket, by: .now + limits.requestTime)
        return Unmanaged.passUnretained(exchange).toOpaque()
    }

    /// Refuses a request whose head is at fault, and closes its connection: where the next one begins is in doubt.
    private func refuse(_ exchange: HTTPExchange) -> Outcome {
        guard let fault = exchange.fault else { return .resting }
        (exchange.isHandled, exchange.response) = (true, fault.response)
        return finish(exchange)
    }

    private func add(_ bytes: UnsafeRawBufferPointer, to exchange: HTTPExchange) {
        exchange.add(bytes, limit: limits.body)
    }

    /// What became of a complete request; the values are the library's shim's.
    private enum Outcome: Int32 {
        case failed = -1
        case resting = 0
        case answered = 1
    }

    /// Answers a complete request, or has its connection rest until there is an answer.
    private func finish(_ exchange: HTTPExchange) -> Outcome {
        deadlines.settle(exchange.socket)
        if !exchange.isHandled {
            exchange.isHandled = true
            if isStopping {
                exchange.response = HTTPResponse(503)
            } else if exchange.isTooLarge {
                exchange.response = HTTPResponse(413)
            } else {
                handler(exchange.request, HTTPReply(number: exchange.number, deliver: answer, watch: watch))
                exchange.request.body = []
            }
        }
        guard exchange.response != nil else {
            exchange.isResting = true
            return .resting
        }
        return exchange.answer(limits, waking: wake) ? .answered : .failed
    }

    private func end(_ exchange: HTTPExchange) {
        exchange.end()
        exchanges[exchange.number] = nil
        inbox.release(exchange.heldBytes)
        watches.settle(exchange.number)
        deadlines.expect(exchange.socket, by: .now + limits.idleTime)
    }

    // MARK: Messages from other threads

    private func deliver(_ answer: HTTPInbox.Answer) {
        guard let exchange = exchanges[answer.number], exchange.isResting else {
            inbox.release(answer.heldBytes)
            return answer.response.discard()
        }
        watches.settle(answer.number)
        exchange.response = answer.response
        exchange.heldBytes = answer.heldBytes
        exchange.isResting = false
        lc_http_resume(exchange.connection)
    }

    private func begin(watching number: UInt64, _ action: @escaping @Sendable () -> Void) {
        guard let exchange = exchanges[number] else { return action() }
        if exchange.isResting { watches.add(number, exchange.socket, action) }
    }

    private func resume(_ stream: HTTPStream) {
        guard let connection = stream.resting else { return }
        stream.resting = nil
        lc_http_resume(connection)
    }
}
