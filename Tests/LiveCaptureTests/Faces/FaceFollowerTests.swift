// SPDX-License-Identifier: MIT
// A camera is asked on a thread of its own, only while faces are seen, and is put back at every end.

import FrameRing
import LivecapFrames
import Synchronization
import Testing

@testable import Camera
@testable import LiveCapture

@Suite(.timeLimit(.usual)) struct FaceFollowerTests {
    /// A scripted source that passes for a camera.
    private final class ScriptedCamera: CameraSource {
        let rotation: RotationCoordinator?
        let settingsLeftOut: [ControlSetting] = []
        private let source: ScriptedSource

        init(_ script: Script, clock: SourceClock, isCamera: Bool) {
            rotation =
                isCamera ? RotationCoordinator(camera: "script", turnsWithDevice: false, mounts: nil) : nil
            source = ScriptedSource(script, clock: clock, begin: .now)
        }

        var description: SourceDescription { source.description }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try source.makeRing(capacity)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) { try source.start(&producer) }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome { try source.step(&producer) }
        func stop() { source.stop() }
        var interrupt: @Sendable () -> Void { source.interrupt }
    }

    /// A session whose frames a test plays, and what follows the faces in them.
    private final class Stage {
        let session: CaptureSession
        let script = Script()
        let camera = TableCamera()
        let events = EventLog<SessionEvent>()
        let follower: FaceFollower
        private let counts: Counts
        private var number = 0

        private final class Counts: Sendable {
            let opened = Atomic<Int>(0)
            let isMissing = Atomic<Bool>(false)
        }

        /// A test may be held up for longer than a camera may be away.
        init(
            clock: SourceClock = .monotonic, isCamera: Bool = true, longestGap: Duration = .seconds(36_000)
        ) throws {
            var options = SessionOptions()
            options.threads = 2
            options.takesPhotos = false
            options.level = .portable
            options.history = .milliseconds(400)
            options.isRealTime = false
            session = try CaptureSession(ScriptedCamera(script, clock: clock, isCamera: isCamera), options)
            let counts = Counts(), camera = camera
            self.counts = counts
            follower = FaceFollower(events, longestGap: longestGap) { _ in
                counts.opened.add(1, ordering: .relaxed)
                return counts.isMissing.load(ordering: .relaxed) ? nil : camera
            }
            session.begin()
            play(faces: [])
        }

        /// How often the camera was opened.
        var opened: Int { counts.opened.load(ordering: .relaxed) }
        var isMissing: Bool {
            get { counts.isMissing.load(ordering: .relaxed) }
            set { counts.isMissing.store(newValue, ordering: .relaxed) }
        }

        /// Plays a dark frame with these faces.
        func play(faces: [FaceFacts] = [Stage.face]) {
            let format = HandFilledRing.format
            script.play(.frame(Double(10 * number), bytes: [UInt8](repeating: 40, count: format.byteCount)))
            number += 1
            tell(faces)
        }

        /// Says which faces the newest frame has, or one so much later.
        func tell(_ faces: [FaceFacts] = [Stage.face], after later: Duration = .zero) {
            let time = session.ring.newestTime ?? .zero
            follower.follow(
                FrameFacts(frame: FrameID(epoch: 0, counter: 0), time: time + later, faces: faces), session.run)
        }

        /// Plays frames until something has come of them.
        func play(faces: [FaceFacts] = [Stage.face], until isDone: () -> Bool) {
            while !isDone() { play(faces: faces) }
        }

        static let face = FaceFacts(
            id: 1, box: PictureBox(origin: PicturePoint(x: 0.25, y: 0.25), width: 0.5, height: 0.5), confidence: 1)

        /// Ends it. Returns what was reported.
        func end() async -> [SessionEvent] {
            session.end()
            follower.finish()
            events.finish()
            var reported: [SessionEvent] = []
            for await event in events.sequence { reported.append(event) }
            return reported
        }
    }

    private let begun = SessionEvent.faceDrivenExposure(.following(.loop))
    private func ended(_ reason: FaceFollowingEnd) -> SessionEvent { .faceDrivenExposure(.ended(reason)) }

    @Test func aFaceIsFollowedUntilItIsGone() async throws {
        let stage = try Stage()
        #expect(stage.opened == 0)
        stage.play { stage.follower.isExposing }
        #expect(stage.opened == 1 && stage.camera[TableCamera.mode] == 1)
        stage.play(faces: []) { !stage.follower.isExposing }
        #expect(stage.camera[TableCamera.mode] == 3)
        // The next one is followed, too.
        stage.play { stage.follower.isExposing }
        #expect(await stage.end() == [begun, ended(.noFace), begun, ended(.cameraAway)])
        #expect(!stage.follower.isExposing && !stage.follower.isFocusing)
        #expect(stage.camera[TableCamera.mode] == 3)
    }

    /// After the end of the stream, nobody asks the camera.
    @Test func theEndOfTheStreamIsTheEnd() async throws {
        let stage = try Stage()
        stage.play { stage.follower.isExposing }
        stage.session.end()
        stage.follower.finish()
        #expect(stage.camera[TableCamera.mode] == 3)
        let opened = stage.opened, log = stage.camera.log
        for _ in 0..<5 { stage.tell() }
        #expect(await stage.end() == [begun, ended(.cameraAway)])
        #expect(stage.opened == opened && stage.camera.log == log)
    }

    @Test func aCameraThatComesBackIsFollowedAnew() async throws {
        let stage = try Stage()
        stage.play { stage.follower.isExposing }
        stage.script.play(.leave)
        stage.play { stage.opened == 2 }
        stage.play { stage.follower.isExposing }
        #expect(await stage.end() == [begun, ended(.cameraAway), begun, ended(.cameraAway)])
        #expect(stage.camera[TableCamera.mode] == 3)
    }

    @Test func aCameraThatDeliversNothingIsPutBack() async throws {
        let stage = try Stage(longestGap: .milliseconds(200))
        stage.play { stage.follower.isExposing }
        wait { !stage.follower.isExposing }
        #expect(stage.camera[TableCamera.mode] == 3)
        #expect(await stage.end().suffix(2) == [begun, ended(.cameraAway)])
    }

    @Test(arguments: [(SourceClock.monotonic, false), (.own, true)])
    func whatIsNoCameraIsLeftAlone(clock: SourceClock, isCamera: Bool) async throws {
        let stage = try Stage(clock: clock, isCamera: isCamera)
        for _ in 0..<20 { stage.play() }
        #expect(await stage.end().isEmpty)
        #expect(stage.opened == 0)
    }

    @Test func withoutFacesTheCameraIsNotAsked() async throws {
        let stage = try Stage()
        for _ in 0..<20 { stage.play(faces: []) }
        // Hands alone say nothing of faces.
        stage.follower.follow(
            FrameFacts(frame: FrameID(epoch: 0, counter: 0), time: .zero, hands: []), stage.session.run)
        #expect(await stage.end().isEmpty)
        #expect(stage.opened == 0)
    }

    @Test func switchesSayWhetherAnythingIsFollowed() async throws {
        let stage = try Stage()
        stage.follower.switches.exposure = .init(isAutomatic: false, isOn: false)
        stage.follower.switches.focus = .init(isAutomatic: false, isOn: false)
        for _ in 0..<20 { stage.play() }
        #expect(stage.opened == 0)
        stage.follower.change { $0.exposure.isOn = true }
        stage.play { stage.follower.isExposing }
        stage.follower.change { $0.exposure.isOn = false }
        stage.play { !stage.follower.isExposing }
        #expect(stage.camera[TableCamera.mode] == 3)
        #expect(await stage.end() == [begun, ended(.switchedOff)])
    }

    @Test func whileSomethingElseSetsTheExposureItStays() async throws {
        let stage = try Stage()
        stage.follower.pause(true)
        stage.play { stage.opened == 1 }
        for _ in 0..<50 { stage.play() }
        #expect(stage.camera.log.isEmpty && !stage.follower.isExposing)
        stage.follower.pause(false)
        stage.play { stage.follower.isExposing }
        #expect(await stage.end() == [begun, ended(.cameraAway)])
    }

    /// Looking for it takes a while, so not every frame does.
    @Test func aCameraThatCannotBeOpenedIsTriedAgainAfterASecond() async throws {
        let stage = try Stage()
        stage.isMissing = true
        for (later, opened) in [(0, 1), (500, 1), (999, 1), (1000, 2), (1500, 2), (2000, 3)] {
            stage.tell(after: .milliseconds(Int64(later)))
            // Waits for its thread, if there is one.
            stage.follower.finish()
            #expect(stage.opened == opened, "after \(later) ms")
        }
        stage.isMissing = false
        stage.tell(after: .milliseconds(3000))
        stage.play { stage.opened == 4 }
        #expect(await stage.end().count % 2 == 0)
    }
}
