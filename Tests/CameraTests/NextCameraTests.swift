// SPDX-License-Identifier: MIT
// Which camera goes on in a ring, as cameras come and go.

import Glibc
import LivecapFrames
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(10))) struct NextCameraTests {
    private let machine = MachineTree()
    private let request = FormatRequest(
        pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private func id(_ port: Int) -> String { "usb-046d:0825-port-0000:00:14.0-0:\(port)-if00" }

    /// Follows the machine's cameras; `ports` are those of the cameras it has by now.
    private func next(after port: Int, home: Int? = nil, ports: [Int]) throws -> (NextCamera, CameraWatch) {
        let watch = try CameraWatch(machine.directory)
        let next = NextCamera(
            after: id(port), home: home.map(id), request, watch, ControlMemory(), [])
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
        #expect(!next.isSuperseded())
        plug(1)
        wait(watch, for: [1, 2])
        #expect(next.isSuperseded())
    }

    @Test func aNamedCameraStays() throws {
        plug(0)
        let (next, watch) = try next(after: 1, home: 1, ports: [1])
        plug(1)
        wait(watch, for: [1, 2])
        #expect(!next.isSuperseded())
    }

    @Test func aNamedCameraIsReturnedTo() throws {
        plug(1)
        let (next, watch) = try next(after: 2, home: 1, ports: [2])
        #expect(!next.isSuperseded())
        plug(0)
        wait(watch, for: [1, 2])
        #expect(next.isSuperseded())
    }

    @Test func aCameraWithoutTheFormatIsNotMovedTo() throws {
        plug(0)
        let (next, watch) = try next(after: 1, ports: [1])
        plug(1, formats: [.yuyv])
        wait(watch, for: [1, 2])
        #expect(!next.isSuperseded())
    }

    @Test func aCameraThatIsGoneIsNotLeftForAnother() throws {
        plug(0)
        plug(1)
        let (next, watch) = try next(after: 1, ports: [1, 2])
        machine.unplug(0)
        wait(watch, for: [2])
        // Its own error says why the stream ended.
        #expect(!next.isSuperseded())
    }

    @Test func withoutAnyCameraThereIsNoneToOpen() throws {
        let (next, _) = try next(after: 1, ports: [])
        #expect(throws: CameraError.noSuchDevice("auto", available: [])) { try next.open(nil) }
    }
}
