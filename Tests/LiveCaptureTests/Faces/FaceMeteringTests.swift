// SPDX-License-Identifier: MIT
// A camera is set only while faces are seen, and put back at every end.

import LivecapFrames
import Synchronization
import Testing

@testable import Camera
@testable import LiveCapture

/// A camera whose controls are values.
final class TableCamera: FaceControls {
    struct State {
        var values: [UInt32: Int64] = [mode: 3, exposure: 100, gain: 10]
        var hasExposure = true
        var region: RegionOfInterest?
        var focusMode: Int64?
        var failure: CameraError?
        /// A control whose settings are refused.
        var refused: UInt32?
        var log: [String] = []
    }
    static let mode: UInt32 = 0x9A_0901, exposure: UInt32 = 0x9A_0902, gain: UInt32 = 0x98_0913
    static let focusMode: UInt32 = 0x9A_090C
    let state = Mutex(State())

    subscript(_ id: UInt32) -> Int64? {
        get { state.withLock { $0.values[id] } }
        set { state.withLock { $0.values[id] = newValue } }
    }
    var log: [String] { state.withLock { $0.log } }
    var regionNow: RegionOfInterest? { state.withLock { $0.region } }

    func controls() throws(CameraError) -> [CameraControl] {
        try fail()
        func control(_ id: UInt32, _ kind: CameraControl.Kind, _ range: ClosedRange<Int64>) -> CameraControl {
            CameraControl(
                id: .init(rawValue: id), name: "c\(id)", kind: kind, minimum: range.lowerBound,
                maximum: range.upperBound, step: 1, defaultValue: range.lowerBound, value: self[id], isInactive: false,
                isReadOnly: false)
        }
        let state = state.withLock { (hasExposure: $0.hasExposure, focusMode: $0.values[Self.focusMode]) }
        return
            (state.hasExposure
            ? [
                control(Self.mode, .menu([1: "Manual", 3: "Aperture"]), 0...3),
                control(Self.exposure, .integer, 3...2047), control(Self.gain, .integer, 0...100),
            ] : []) + (state.focusMode == nil ? [] : [control(Self.focusMode, .boolean, 0...1)])
    }
    func value(of control: CameraControl.ID) -> Int64? {
        state.withLock { $0.failure == nil ? $0.values[control.rawValue] : nil }
    }
    func set(_ control: CameraControl.ID, to value: Int64) throws(CameraError) {
        try fail()
        guard state.withLock({ $0.refused }) != control.rawValue else {
            throw .driver(path: "/dev/video0", call: "VIDIOC_S_EXT_CTRLS", errno: 5)
        }
        state.withLock { state in
            state.values[control.rawValue] = value
            state.log.append("\(String(control.rawValue, radix: 16))=\(value)")
        }
    }
    func region() throws(CameraError) -> RegionOfInterest? {
        try fail()
        return regionNow
    }
    func set(_ region: RegionOfInterest) throws(CameraError) {
        try fail()
        state.withLock { $0.region = region }
    }
    private func fail() throws(CameraError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

/// Frames of 30 per second, and whoever looks at them.
private struct Stream {
    let camera = TableCamera()
    var metering: FaceMetering
    var switches = FaceSwitches()
    var level = 0.2
    var number = 0
    var events: [SessionEvent] = []

    init() {
        metering = FaceMetering(
            camera, size: FrameSize(width: 1280, height: 720), interval: .nanoseconds(33_333_333))
    }

    static func face(at x: Float = 0.4) -> FaceFacts {
        FaceFacts(
            id: 1, box: PictureBox(origin: PicturePoint(x: x, y: 0.25), width: 0.2, height: 0.5), confidence: 1)
    }

    mutating func run(_ frames: Int, _ faces: [FaceFacts] = [Self.face()]) {
        for _ in 0..<frames {
            number += 1
            let time = Timestamp(nanoseconds: Int64(number) * 33_333_333), level = level
            events += metering.frame(at: time, faces, switches) { _ in level }
        }
    }
}

@Suite struct FaceMeteringTests {
    private let begun = SessionEvent.faceDrivenExposure(.following(.loop))
    private func ended(_ reason: FaceFollowingEnd) -> SessionEvent { .faceDrivenExposure(.ended(reason)) }

    @Test("A dark face gets more light, and the camera is put back once it is gone for a second")
    func whole() {
        var stream = Stream()
        stream.run(30)
        #expect(stream.events == [begun])
        #expect(stream.metering.isActive.exposure)
        #expect(stream.camera[TableCamera.mode] == 1)
        // No longer than the interval of the frames, so that their rate stays.
        #expect(stream.camera[TableCamera.exposure] == 333)
        stream.run(29, [])
        #expect(stream.events == [begun])
        stream.run(2, [])
        #expect(stream.events == [begun, ended(.noFace)])
        #expect(stream.camera[TableCamera.mode] == 3)
        #expect(stream.camera[TableCamera.gain] == 10)
        #expect(stream.metering.isIdle(at: Timestamp(nanoseconds: 90_000_000_000)))
        stream.run(30)
        #expect(stream.events == [begun, ended(.noFace), begun])
    }

    @Test("A face that the camera exposes well is left to it, unless the program decides otherwise")
    func leftAlone() {
        var stream = Stream()
        stream.level = FaceExposureLoop.target - 0.06
        stream.run(100)
        #expect(stream.events.isEmpty)
        #expect(stream.camera.log.isEmpty)
        stream.switches.exposure = .init(isAutomatic: false, isOn: true)
        stream.run(1)
        #expect(stream.events == [begun])
    }

    @Test("An exposure set by hand before is left alone")
    func byHandBefore() {
        var stream = Stream()
        stream.camera[TableCamera.mode] = 1
        stream.run(100)
        #expect(stream.events.isEmpty && stream.camera.log.isEmpty)
        // Tried again once it is automatic.
        stream.camera[TableCamera.mode] = 3
        stream.run(60)
        #expect(stream.events == [begun])
    }

    @Test(
        "What is set by hand meanwhile stays",
        arguments: [(TableCamera.mode, 3), (TableCamera.exposure, 50), (TableCamera.gain, 77)] as [(UInt32, Int64)])
    func byHand(_ control: UInt32, _ value: Int64) {
        var stream = Stream()
        stream.run(14)
        #expect(stream.events == [begun])
        stream.camera[control] = value
        let log = stream.camera.log.count
        stream.run(100)
        #expect(stream.events == [begun, ended(.setByHand)])
        #expect(stream.camera.log.count == log)
        stream.run(40, [])
        #expect(stream.camera[TableCamera.mode] == (control == TableCamera.mode ? 3 : 1))
        #expect(stream.camera[control] == value)
    }

    @Test("Switching it off puts the camera back")
    func switchedOff() {
        var stream = Stream()
        stream.run(30)
        stream.switches.exposure = .init(isAutomatic: false, isOn: false)
        stream.run(30)
        #expect(stream.events == [begun, ended(.switchedOff)])
        #expect(stream.camera[TableCamera.mode] == 3)
    }

    @Test("A refusal ends it until the face is gone, and puts the camera back")
    func refused() {
        var stream = Stream()
        stream.run(11)
        #expect(stream.events == [begun])
        stream.camera.state.withLock { $0.refused = TableCamera.exposure }
        stream.run(30)
        #expect(stream.events == [begun, ended(.refused)])
        #expect(stream.camera[TableCamera.mode] == 3)
        stream.camera.state.withLock { $0.refused = nil }
        stream.run(30)
        #expect(stream.events.count == 2)
        stream.run(40, [])
        stream.run(30)
        #expect(stream.events.last == begun)
    }

    @Test("A camera that returns as it was last seen is put back then")
    func away() {
        var stream = Stream()
        stream.run(30)
        stream.camera.state.withLock { $0.failure = .disconnected(path: "/dev/video0") }
        stream.events += stream.metering.end(.cameraAway)
        #expect(stream.events == [begun, ended(.cameraAway)])
        #expect(stream.metering.isOwing)
        #expect(stream.camera[TableCamera.mode] == 1)
        stream.camera.state.withLock { $0.failure = nil }
        stream.metering.goOn(with: stream.camera)
        #expect(stream.camera[TableCamera.mode] == 3)
        #expect(!stream.metering.isOwing)
    }

    @Test("A camera without controls of exposure is left alone")
    func none() {
        var stream = Stream()
        stream.camera.state.withLock { $0.hasExposure = false }
        stream.run(100)
        #expect(stream.events.isEmpty && stream.camera.log.isEmpty)
    }

    @Test("A camera with a region of interest looks at the face, and at what it did before afterwards")
    func region() throws {
        var stream = Stream()
        let before = RegionOfInterest(
            area: .init(width: 1920, height: 1080), functions: [], possible: [.exposure, .focus],
            whole: .init(width: 1920, height: 1080), smallest: .init(width: 16, height: 16))
        stream.camera.state.withLock { state in
            state.region = before
            state.values[TableCamera.focusMode] = 1
        }
        stream.run(30)
        let both: [SessionEvent] = [
            .faceDrivenExposure(.following(.regionOfInterest)), .faceDrivenFocus(.following(.regionOfInterest)),
        ]
        #expect(stream.events == both)
        // Exposure and gain stay the camera's.
        #expect(stream.camera.log.isEmpty)
        var now = try #require(stream.camera.regionNow)
        #expect(now.functions == [.exposure, .focus])
        #expect(now.area == .init(left: 768, top: 270, width: 384, height: 540))
        stream.run(1, [Stream.face(at: 0.41)])
        #expect(stream.camera.regionNow == now)
        stream.run(1, [Stream.face(at: 0.6)])
        now = try #require(stream.camera.regionNow)
        #expect(now.area.left == 1152)
        stream.switches.focus = .init(isAutomatic: false, isOn: false)
        stream.run(1, [Stream.face(at: 0.6)])
        #expect(stream.camera.regionNow?.functions == .exposure)
        #expect(stream.events.last == .faceDrivenFocus(.ended(.switchedOff)))
        stream.run(40, [])
        #expect(stream.camera.regionNow == before)
        #expect(stream.events.last == ended(.noFace))
    }

    @Test("A manual focus is left alone")
    func manualFocus() {
        var stream = Stream()
        stream.camera.state.withLock { state in
            state.values[TableCamera.focusMode] = 0
            state.region = RegionOfInterest(
                area: .init(width: 640, height: 480), functions: [], possible: .focus,
                whole: .init(width: 640, height: 480), smallest: .init(width: 1, height: 1))
        }
        stream.run(30)
        // The region is for focus only, so the exposure goes the other way.
        #expect(stream.events == [begun])
        #expect(stream.camera.regionNow?.functions == [])
    }
}
