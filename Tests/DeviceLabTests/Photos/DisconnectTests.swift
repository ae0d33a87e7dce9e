// SPDX-License-Identifier: MIT
// The camera disconnects, or is in use by another program, while photos are wanted: docs/faults.md, from outside.

import Foundation
import Glibc
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("photos of a disconnected camera")
    struct DisconnectTests {
        @Test("armed: shots with their frames are finished, waiting ones fail with the reason, and so does the program")
        func armed() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let camera = try ArmedCamera()
            let frames = try camera.waitForFrames(10)
            try camera.tap(at: frames[7].time)
            // Some frames of this shot never arrive.
            try camera.tap(at: frames[9].time, "\"quality\":\"balanced\",\"frames\":12,\"after\":10")
            try camera.tap("\"600s\"")
            _ = try camera.shot(1)
            try vivid.set(.disconnect)
            let outcome = try camera.ended()
            #expect(outcome.status == 69, "\(outcome.errors)")
            let shots = try ShotObject.all(in: outcome.output)
            let witness = try Witness(camera.frames())
            for shot in shots where shot.file != nil { try witness.expectNearest(shot) }
            #expect(shots.filter { $0.file != nil }.map(\.shot) == [1, 2])
            #expect(shots.first { $0.shot == 3 }?.code == "disconnected")
            // The last object reports the failure of the program itself.
            #expect(shots.last?.shot == nil && shots.last?.code == "disconnected")
        }

        @Test("a series: the pictures so far are complete, the others fail with the reason")
        func series() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let account = try DriverAccount()
            let folder = try TemporaryFolder()
            let program = try Livecap.start(
                [
                    "shoot", "--device", Lab.webcam, "--on-unplug", "end", "--format", "YUYV", "--size",
                    "\(LabStream.size)", "--fps", "10",
                ]
                    + [
                        "--ring", "2500ms", "--quality", "single", "--count", "200", "--interval", "300ms", "--format",
                        "png",
                    ]
                    + ["-o", folder.path("series") + "/"])
            try program.waitForFile(folder.path("series/livecap-0002.png"), bytes: 1)
            try vivid.set(.disconnect)
            let outcome = try program.finish()
            #expect(outcome.status == 69, "\(outcome.errors)")
            let shots = try ShotObject.all(in: outcome.output)
            #expect(shots.count == 200)
            let photos = shots.prefix { $0.file != nil }
            #expect(photos.count >= 2 && shots.dropFirst(photos.count).allSatisfy { $0.code == "disconnected" })
            let witness = try Witness(account.frames())
            for shot in photos { try witness.expectNearest(shot) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("series"))
            #expect(names.count == photos.count)
        }

        @Test("a camera in use by an armed process is refused to one that wants its own, and keeps working")
        func busy() throws {
            // Not kept open: the error could name any process that has the camera open.
            _ = try OnScreenText.shown()
            defer { try? Vivid().reset() }
            let camera = try ArmedCamera()
            let folder = try TemporaryFolder()
            let other = try Livecap.start(["shoot", "--own", "--device", Lab.webcam, "-o", folder.path("other.jpg")]
            ).finish()
            #expect(other.status == 69)
            let reported = try ShotObject.all(in: other.output)
            #expect(reported.count == 1 && reported.first?.code == "busy")
            #expect(reported.first?.error?.hasPrefix("\(Lab.webcam) is in use by livecap (") == true, "\(other.output)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("other.jpg")))
            let frames = try camera.waitForFrames(2)
            try camera.tap(at: frames[frames.count - 2].time)
            let shot = try camera.shot(1)
            try Witness(camera.frames()).expectNearest(shot)
            try camera.finish()
        }

        @Test("an idle camera is free for other programs; a tap meanwhile names the one that uses it")
        func idle() throws {
            let camera = try ArmedCamera(["--idle-off", "1s"])
            try camera.waitForWords("the camera is off until it is needed")
            do {
                // Streams, which the driver grants to one program at a time.
                let other = try LabStream(Lab.webcam, format: .yuyv)
                _ = try other.metadata(2)
                let refused = try camera.shot(camera.tap("\"now\""))
                #expect(refused.code == "camera-busy" && refused.error?.contains("is in use by") == true, "\(refused)")
            }
            try camera.waitForWords("frames are arriving again")
            try LabBus.wait("that it is off again") {
                camera.program.errors.components(separatedBy: "the camera is off until it is needed").count == 3
            }
            let shot = try camera.shot(camera.tap("\"now\""))
            #expect(shot.file != nil && shot.cameraWasOff == true, "\(shot)")
            camera.program.signal(SIGINT)
            // That of the tap that was refused.
            let outcome = try camera.ended()
            #expect(outcome.status == 69, "\(outcome.errors)")
        }

        @Test("a camera in use is waited for, if that is asked for")
        func waitedOut() throws {
            let folder = try TemporaryFolder()
            var other: LabStream? = try LabStream(Lab.webcam, format: .yuyv)
            _ = try other?.metadata(2)
            let program = try Livecap.start(
                Livecap.recording(3, to: folder.path("frames.lcap")) + ["--on-busy", "wait"])
            try LabBus.wait("the words that it waits") { program.errors.contains("waiting until it is free") }
            other = nil
            let outcome = try program.finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try Livecap.info(folder.path("frames.lcap")).frames == 3)
        }
    }
}
