// SPDX-License-Identifier: MIT
// Which camera goes on in a ring, as cameras come and go, and fail.

import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct NextCameraTests {
    /// A camera that is there, and no more.
    private final class Stub: JoiningSource {
        let description: SourceDescription
        init(_ identity: String) {
            description = SourceDescription(
                name: "stub", identity: identity,
                format: FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720)), rate: nil,
                clock: .monotonic)
        }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            throw .noMemory(bytes: 0)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) {}
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome { .nothing }
        func stop() {}
        var interrupt: @Sendable () -> Void { {} }
        func fits(_ ring: Ring) -> Bool { true }
        func join(_ producer: inout RingProducer) throws(CameraError) {}
        func takeSlots() -> [SlotIndex] { [] }
    }

    private static let full = CameraError.noBandwidth(path: "/dev/video7", format: "MJPG")
    private let machine = MachineTree()
    /// Why cameras cannot be opened, by their identities.
    private final class Faults: Sendable {
        private let faults = Guarded<[String: CameraError]>([:])
        subscript(identity: String) -> CameraError? {
            get { faults.withLock { $0[identity] } }
            set { faults.withLock { $0[identity] = newValue } }
        }
    }
    private let faults = Faults()
    private let request = FormatRequest(
        pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private func id(_ port: Int) -> String { "usb-046d:0825-port-0000:00:14.0-0:\(port)-if00" }

    /// Follows the machine's cameras; `ports` are those of the cameras it has by now.
    private func next(after port: Int, home: Int? = nil, hold: CameraHold = CameraHold(), ports: [Int]) throws -> (
        NextCamera, CameraWatch
    ) {
        let watch = try CameraWatch(machine.directory)
        let next = NextCamera(
            after: id(port), home: home.map(id), request, watch, [:], hold: hold, newMemory: { _ in ControlMemory() }
        ) { (_, identity, _, _, _) throws(CameraError) in
            if let fault = faults[identity] { throw fault }
            return Stub(identity)
        }
        wait(watch, for: ports)
        return (next, watch)
    }

    private func wait(_ watch: CameraWatch, for ports: [Int]) {
        while Set((watch.board.now.cameras ?? []).map(\.record.identity)) != Set(ports.map(id)) { sched_yield() }
    }

    private func plug(_ number: Int, formats: [PixelFormat] = [.mjpeg]) {
        machine.plug(number, port: "\(number + 1)", formats: formats)
    }

    @Test func aNewCameraIsPreferredToOneThatWasNotNamed() throws {
        plug(0)
        let (next, watch) = try next(after: 1, ports: [1])
        #expect(!next.isSuperseded)
        plug(1)
        wait(watch, for: [1, 2])
        #expect(next.isSuperseded)
        #expect(try next.open(nil).description.identity == id(2))
    }

    @Test func aCameraThatIsHeldStaysUntilItIsReleased() throws {
        plug(0)
        let hold = CameraHold()
        let (next, watch) = try next(after: 1, hold: hold, ports: [1])
        var holder: AnyObject? = hold.take()
        plug(1)
        wait(watch, for: [1, 2])
        #expect(!next.isSuperseded)
        withExtendedLifetime(holder) {}
        holder = nil
        #expect(next.isSuperseded)
    }

    @Test func theReturnOfACameraThatIsHeldIsWaitedFor() throws {
        plug(0)
        plug(1)
        let hold = CameraHold()
        let (next, watch) = try next(after: 1, hold: hold, ports: [1, 2])
        var holder: AnyObject? = hold.take()
        machine.unplug(0)
        wait(watch, for: [2])
        #expect(throws: CameraError.noSuchDevice("auto", available: [])) { try next.open(nil) }
        withExtendedLifetime(holder) {}
        holder = nil
        #expect(try next.open(nil).description.identity == id(2))
    }

    @Test func aHeldCameraThatFailsForNowIsWaitedFor() throws {
        plug(0)
        plug(1)
        let hold = CameraHold()
        let (next, _) = try next(after: 1, hold: hold, ports: [1, 2])
        let holder: AnyObject = hold.take()
        #expect(next.replaces(after: .streamFailed(path: "/dev/video7", call: "VIDIOC_DQBUF", errno: 5)))
        #expect(try next.open(nil).description.identity == id(1))
        withExtendedLifetime(holder) {}
    }

    @Test func aHeldCameraThatFailedForGoodIsReplaced() throws {
        plug(0)
        plug(1)
        let hold = CameraHold()
        let (next, _) = try next(after: 1, hold: hold, ports: [1, 2])
        let holder: AnyObject = hold.take()
        #expect(next.replaces(after: .notSupported(path: "/dev/video7", detail: "another format")))
        #expect(try next.open(nil).description.identity == id(2))
        withExtendedLifetime(holder) {}
    }

    @Test func aHoldThatIsWaivedLetsAnotherGoOnUntilSomebodyInsistsAnew() {
        let hold = CameraHold()
        let holder: AnyObject = hold.take()
        #expect(hold.isHeld)
        hold.waive()
        #expect(!hold.isHeld)
        let another: AnyObject = hold.take()
        #expect(hold.isHeld)
        withExtendedLifetime((holder, another)) {}
    }

    @Test func aNamedCameraStays() throws {
        plug(0)
        let (next, watch) = try next(after: 1, home: 1, ports: [1])
        plug(1)
        wait(watch, for: [1, 2])
        #expect(!next.isSuperseded)
    }

    @Test func aNamedCameraIsReturnedTo() throws {
        plug(1)
        let (next, watch) = try next(after: 2, home: 1, ports: [2])
        #expect(!next.isSuperseded)
        plug(0)
        wait(watch, for: [1, 2])
        #expect(next.isSuperseded)
    }

    @Test func aCameraWithoutTheFormatIsNotMovedTo() throws {
        plug(0)
        let (next, watch) = try next(after: 1, ports: [1])
        plug(1, formats: [.yuyv])
        wait(watch, for: [1, 2])
        #expect(!next.isSuperseded)
    }

    @Test func aCameraThatIsGoneIsNotLeftForAnother() throws {
        plug(0)
        plug(1)
        let (next, watch) = try next(after: 1, ports: [1, 2])
        machine.unplug(0)
        wait(watch, for: [2])
        // Its own error says why the stream ended.
        #expect(!next.isSuperseded)
    }

    @Test func ifThePreferredCameraCannotBeOpenedTheOtherGoesOn() throws {
        plug(0)
        let (next, watch) = try next(after: 1, ports: [1])
        faults[id(2)] = Self.full
        plug(1)
        wait(watch, for: [1, 2])
        #expect(next.isSuperseded)
        #expect(try next.open(nil).description.identity == id(1))
    }

    @Test func aCameraThatFailedInterruptsNoOther() throws {
        plug(0)
        let (next, watch) = try next(after: 1, ports: [1])
        faults[id(2)] = Self.full
        plug(1)
        wait(watch, for: [1, 2])
        _ = try next.open(nil)
        plug(2, formats: [.yuyv])
        wait(watch, for: [1, 2, 3])
        #expect(!next.isSuperseded)
    }

    @Test func aCameraThatCannotStartIsTriedAfterTheOthers() throws {
        plug(0)
        plug(1)
        let (next, _) = try next(after: 2, home: 1, ports: [1, 2])
        #expect(try next.open(nil).description.identity == id(1))
        #expect(next.goesOn(after: Self.full))
        #expect(try next.open(nil).description.identity == id(2))
    }

    @Test func theLastOneIsTriedAgainIfItsErrorMayPass() throws {
        plug(0)
        let (next, _) = try next(after: 1, ports: [1])
        #expect(next.goesOn(after: Self.full))
        #expect(try next.open(nil).description.identity == id(1))
        #expect(next.goesOn(after: .notSupported(path: "/dev/video7", detail: "interlaced")))
        #expect(throws: CameraError.noSuchDevice("auto", available: [])) { try next.open(nil) }
    }

    @Test func anotherReplacesOneThatFails() throws {
        plug(0)
        plug(1)
        let (next, _) = try next(after: 1, ports: [1, 2])
        #expect(next.replaces(after: .stalled(path: "/dev/video7", after: .seconds(5))))
        #expect(try next.open(nil).description.identity == id(2))
        #expect(!next.replaces(after: .stalled(path: "/dev/video7", after: .seconds(5))))
    }

    @Test func aShortageIsNoFaultOfACamera() throws {
        plug(0)
        let (next, _) = try next(after: 1, ports: [1])
        faults[id(1)] = .noMemory(bytes: 1)
        #expect(throws: CameraError.noMemory(bytes: 1)) { try next.open(nil) }
    }

    @Test func withoutAnyCameraThereIsNoneToOpen() throws {
        let (next, _) = try next(after: 1, ports: [])
        #expect(throws: CameraError.noSuchDevice("auto", available: [])) { try next.open(nil) }
    }
}
