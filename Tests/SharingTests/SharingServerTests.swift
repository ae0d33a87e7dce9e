// SPDX-License-Identifier: MIT
// The socket: who gets a ring, what readers learn of its end, and that none of them can do harm.

import FrameRing
import Glibc
import LivecapCShare
import LivecapCSystem
import LivecapFrames
import LivecapPatience
import Shutter
import Testing

@testable import LivecapSharing

@Suite(.serialized) struct SharingServerTests {
    private let folder: Folder
    private var path: String { folder.path + "/s" }

    init() throws { folder = try Folder() }

    private func serve(_ ring: Ring) throws -> SharingServer {
        let server = try SharingServer(path: path)
        server.offer(ring, camera)
        return server
    }

    @Test func aReaderGetsTheRing() throws {
        let ring = try sharedRing()
        let server = try serve(ring)
        defer { server.close() }
        var producer = RingProducer(filling: ring)
        producer.put(0..<3)
        let reader = try Reader(connecting: path)
        #expect(reader.newest?.record.counter == 2)
        try eventually("the reader") { server.readerCount == 1 }
    }

    @Test func aReaderThatIsEarlyWaits() throws {
        let server = try SharingServer(path: path)
        defer { server.close() }
        let early = lc_unix_socket()
        defer { close(early) }
        try #require(lc_unix_connect(early, path) == 0)
        try eventually("the reader") { server.readerCount == 1 }
        server.offer(try sharedRing(), camera)
        var state = pollfd(early)
        #expect(poll(&state, 1, Int32(1000 * Patience.seconds)) == 1)
    }

    @Test func aSleepingReaderWakesForAFrame() throws {
        let ring = try sharedRing()
        let server = try serve(ring)
        defer { server.close() }
        var producer = RingProducer(filling: ring)
        producer.put(0)
        let reader = try Reader(connecting: path)
        #expect(livecap_share_wait(&reader.share, 0, 0) == 1)
        #expect(livecap_share_wait(&reader.share, 1, 0) == 0)
        let before = reader.share.header.pointee.wake
        producer.put(1)
        try eventually("the wake-up") { reader.share.header.pointee.wake != before }
        #expect(livecap_share_wait(&reader.share, 1, -1) == 1)
    }

    @Test func theEndIsReportedAfterTheLastFrame() throws {
        let ring = try sharedRing()
        let server = try serve(ring)
        defer { server.close() }
        let reader = try Reader(connecting: path)
        do {
            var producer = RingProducer(filling: ring)
            producer.put(0)
        }
        #expect(livecap_share_wait(&reader.share, 0, -1) == 1)
        #expect(livecap_share_wait(&reader.share, 1, -1) == -EPIPE)
    }

    @Test func anotherRingReplacesTheFirst() throws {
        let (first, second) = (try sharedRing(), try sharedRing())
        let server = try serve(first)
        defer { server.close() }
        let reader = try Reader(connecting: path)
        var producer = RingProducer(filling: second)
        producer.put(40)
        server.offer(second, camera)
        #expect(livecap_share_wait(&reader.share, 0, -1) == -EPIPE)
        #expect(livecap_share_next_ring(&reader.share) == 0)
        #expect(reader.newest?.record.time_ns == 40_000)
    }

    @Test func framesStayReadableAfterTheServer() throws {
        let ring = try sharedRing()
        let server = try serve(ring)
        var producer = RingProducer(filling: ring)
        producer.put(5)
        let reader = try Reader(connecting: path)
        server.close()
        #expect(reader.newest?.isWhole == true)
        #expect(livecap_share_wait(&reader.share, 1, -1) == -EPIPE)
        #expect(livecap_share_next_ring(&reader.share) == -EPIPE)
        #expect(access(path, F_OK) < 0)
    }

    @Test func whatReadersSendIsRefused() throws {
        let server = try serve(try sharedRing())
        defer { server.close() }
        let reader = try Reader(connecting: path)
        try eventually("the reader") { server.readerCount == 1 }
        var bytes = [UInt8](repeating: 0x41, count: 1 << 16)
        #expect(lc_send(reader.share.socket, &bytes, bytes.count) == Int64(-EPIPE))
        // It is still served.
        server.offer(try sharedRing(), camera)
        #expect(livecap_share_next_ring(&reader.share) == 0)
    }

    @Test func tooManyReadersAreTold() throws {
        let server = try serve(try sharedRing())
        defer { server.close() }
        var readers: [Reader] = []
        for _ in 0..<SharingServer.maxReaders { readers.append(try Reader(connecting: path)) }
        #expect(throws: Reader.Refusal(errno: EUSERS)) { try Reader(connecting: path) }
        readers.removeLast()
        try eventually("room") { server.readerCount < SharingServer.maxReaders }
        readers.append(try Reader(connecting: path))
        #expect(server.readerCount <= SharingServer.maxReaders)
    }

    @Test func aReaderThatIsKilledLeavesNothing() throws {
        let ring = try sharedRing()
        let server = try serve(ring)
        defer { server.close() }
        var producer = RingProducer(filling: ring)
        producer.put(0)
        let program = try ReaderProgram(Examples.swift, [path])
        try eventually("a frame") { program.lines.count == 1 }
        program.kill()
        try eventually("its end") { server.readerCount == 0 }
        // No slot is held: history goes on as without it.
        producer.put(1..<50)
        #expect(ring.statistics.dropped == 0 && ring.statistics.published == 50)
    }

    @Test func onlyThisUserAndRootAreWelcome() {
        #expect(SharingLoop.isWelcome(1000, ofUser: 1000, .thisUser))
        #expect(SharingLoop.isWelcome(0, ofUser: 1000, .thisUser))
        #expect(!SharingLoop.isWelcome(1001, ofUser: 1000, .thisUser))
        #expect(!SharingLoop.isWelcome(1001, ofUser: 0, .thisUser))
        #expect(SharingLoop.isWelcome(1001, ofUser: 1000, .everyone))
    }

    @Test(arguments: [(SharingAudience.thisUser, mode_t(0o600)), (.everyone, 0o666)])
    func theSocketsModeFollowsTheAudience(_ audience: SharingAudience, mode: mode_t) throws {
        let server = try SharingServer(path: path, for: audience)
        defer { server.close() }
        var status = stat()
        try #require(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
    }

    @Test func aSocketInUseIsRefused() throws {
        let server = try serve(try sharedRing())
        defer { server.close() }
        let path = path
        #expect(throws: ShutterError.socketInUse(path: path)) { _ = try SharingServer(path: path) }
    }
}
