// SPDX-License-Identifier: MIT
// A capture's thread: one microphone at a time, whatever microphones do.

import Glibc
import LivecapFrames
import LivecapSound
import LivecapThreads
import Testing

/// A desk with microphones that are plugged in and out, and do as they are told.
private final class Desk: SoundDirectory {
    enum Fault: Sendable {
        case gone
        case overrun
        case suspended
    }

    private struct State {
        var connected: [Microphone] = []
        var busy: Set<String> = []
        var faults: [String: [Fault]] = [:]
        var opened: [String] = []
    }

    private let state = Guarded(State())

    func microphones() -> [Microphone] { state.withLock { $0.connected } }
    var opened: [String] { state.withLock { $0.opened } }

    func connect(_ id: String, place: String? = nil, isBusy: Bool = false) {
        state.withLock { state in
            let number = Int64(state.connected.count + state.opened.count)
            state.connected.append(Microphone(id: id, name: id, card: id, place: place, connected: number))
            if isBusy { state.busy.insert(id) }
        }
    }

    func unplug(_ id: String) {
        state.withLock { state in
            state.connected.removeAll { $0.id == id }
            state.faults[id, default: []].append(.gone)
        }
    }

    func fault(_ id: String, _ fault: Fault) { state.withLock { $0.faults[id, default: []].append(fault) } }

    func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource {
        let isBusy = state.withLock { state in
            state.opened.append(microphone.id)
            return state.busy.contains(microphone.id)
        }
        if isBusy { throw .busy(microphone.name, user: "another program") }
        return Source(microphone.id, self)
    }

    fileprivate func nextFault(_ id: String) -> Fault? {
        state.withLock { state in
            guard let first = state.faults[id]?.first else { return nil }
            state.faults[id]?.removeFirst()
            return first
        }
    }

    private final class Source: SoundSource {
        let format = SoundFormat(rate: 48_000, channels: 1)
        private let (id, desk): (String, Desk)
        private let inner = SyntheticMicrophone()

        init(_ id: String, _ desk: Desk) { (self.id, self.desk) = (id, desk) }

        func start() { inner.start() }

        func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
            switch desk.nextFault(id) {
            case .gone: return .gone(.disconnected(id))
            case .overrun:
                inner.start()
                return .interrupted(.overrun)
            case .suspended:
                inner.start()
                return .interrupted(.suspended)
            case nil: return inner.read(into: samples, until: deadline)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct SoundCaptureTests {
    private let desk = Desk()

    private func capture(_ choice: MicrophoneChoice = .automatic, camera: String? = nil) throws -> SoundCapture {
        try SoundCapture(choice, in: desk, camera: camera, past: .seconds(2))
    }

    /// Waits until something is so.
    private func wait(until isSo: () -> Bool) {
        while !isSo() { usleep(5000) }
    }

    @Test func aMicrophoneThatGoesIsFollowedByAnother() throws {
        desk.connect("first")
        let capture = try capture()
        #expect(capture.figures.microphone?.id == "first")
        desk.unplug("first")
        wait { capture.figures.microphone == nil }
        desk.connect("second")
        wait { capture.figures.microphone?.id == "second" }
        capture.stop()
        #expect(capture.figures.changes == 1)
        let notices = capture.takeNotices()
        #expect(notices.count == 2 && notices.first == .gone(.disconnected("first")))
        guard case .using(let second) = notices.last else { preconditionFailure("another notice") }
        #expect(second.id == "second")
    }

    @Test func theCamerasOwnIsPreferred() throws {
        desk.connect("own", place: "/sys/usb1")
        desk.connect("later", place: "/sys/usb2")
        let capture = try capture(camera: "/sys/usb1")
        #expect(capture.figures.microphone?.id == "own")
        // Another camera takes over.
        capture.prefer(camera: "/sys/usb2")
        wait { capture.figures.microphone?.id == "later" }
        capture.stop()
    }

    @Test func theOneThatWasConnectedLastIsNext() throws {
        desk.connect("first")
        let capture = try capture()
        desk.connect("last")
        wait { capture.figures.microphone?.id == "last" }
        capture.stop()
    }

    @Test func aNamedOneIsTheOnlyOne() throws {
        desk.connect("named")
        desk.connect("other")
        let capture = try capture(.only("named"))
        desk.unplug("named")
        wait { capture.figures.microphone == nil }
        desk.connect("named")
        wait { capture.figures.microphone?.id == "named" }
        capture.stop()
        #expect(!desk.opened.contains("other"))
    }

    @Test func interruptionsAreCountedAndGoOn() throws {
        desk.connect("one")
        let capture = try capture()
        desk.fault("one", .overrun)
        desk.fault("one", .suspended)
        wait { capture.figures.overruns == 1 && capture.figures.suspensions == 1 }
        #expect(capture.figures.microphone?.id == "one")
        capture.stop()
        #expect(capture.takeNotices().isEmpty && capture.figures.changes == 0)
    }

    @Test("A device that reports nothing but interruptions has gone") func barren() throws {
        desk.connect("one")
        for _ in 0..<20 { desk.fault("one", .overrun) }
        let capture = try capture()
        wait { capture.takeNotices().contains { if case .gone = $0 { true } else { false } } }
        capture.stop()
    }

    @Test func oneInUseIsPassedOver() throws {
        desk.connect("free")
        desk.connect("busy", isBusy: true)
        let capture = try capture()
        #expect(capture.figures.microphone?.id == "free" && desk.opened == ["busy", "free"])
        capture.stop()
    }

    @Test func ifNoneCanBeOpenedTheBestOnesReasonCounts() throws {
        #expect(throws: SoundError.noMicrophone) { try capture() }
        #expect(throws: SoundError.noSuchMicrophone("x", available: [])) { try capture(.only("x")) }
        desk.connect("free but old")
        desk.unplug("free but old")
        desk.connect("busy", isBusy: true)
        #expect(throws: SoundError.busy("busy", user: "another program")) { try capture() }
    }
}
