// SPDX-License-Identifier: MIT
// Controls of a USB camera: set before its first frame, while it streams, and by others. The pixels prove it.

import Foundation
import FrameRing
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("Controls of USB cameras")
    struct USBControlTests {
        @Test("--set is in force in the first frame")
        func beforeTheFirstFrame() throws {
            let camera = try LabCamera("serial=SN1")
            let source = try CameraDirectory().camera(named: camera.path).open(
                FormatRequest(pixelFormat: .yuyv, size: FrameSize(width: 320, height: 240), rate: FrameRate(15)),
                onUnplug: .end, controls: ["exposure=12.3ms", "gain=9", "brightness=20"].map { ControlSetting($0)! })
            let loop = try CaptureLoop(source)
            var frames = FrameSubscription(to: loop.ring)
            let reader = try MarkReader(loop.ring.format)
            loop.start()
            guard case .frame(let lease) = frames.next(until: .now + .seconds(30)) else {
                throw LabStream.Missing("no frame: \(loop.state)")
            }
            #expect(lease.metadata.manual == ManualSettings(exposure: .microseconds(12_300), gain: 9))
            let mark = try reader.read(lease)
            #expect(!mark.isExposureAutomatic && mark.exposure == 123 && mark.gain == 9 && mark.brightness == 20)
        }

        @Test("a profile is in force in the first frame, without what does not fit")
        func profile() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            func livecap(_ arguments: String...) throws -> Lab.Outcome {
                try RunningProgram(
                    "XDG_STATE_HOME=\(folder.path("state"))", [Livecap.program] + arguments + ["-d", camera.path]
                ).finish()
            }
            #expect(try livecap("controls", "--set", "brightness=20", "--save", "night").status == 0)
            #expect(try livecap("controls", "--reset").status == 0)
            let file = folder.path("state/livecap/profiles")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try Data(text.replacing("\tnight\t", with: "\tnight\tzest=3 ").utf8).write(to: URL(filePath: file))
            let path = folder.path("frames.lcap")
            let outcome = try livecap(
                "record", "--profile", "night", "--frames", "3", "--size", "320x240", "--format", "YUYV", "-o", path)
            #expect(outcome.status == 0 && outcome.errors.contains("does not accept"), "\(outcome.errors)")
            #expect(outcome.errors.contains("zest=3"))
            #expect(try camera.state()["brightness"] == 20)
            let other = try livecap("record", "--profile", "day", "--frames", "3", "-o", folder.path("other.lcap"))
            #expect(other.status == 64 && other.errors.contains("night"), "\(other.errors)")
        }

        @Test("the command lists, sets and resets them, and names what is wrong")
        func command() throws {
            let camera = try LabCamera("serial=SN1")
            func controls(_ options: String...) throws -> Lab.Outcome {
                try RunningProgram(Livecap.program, ["controls", "--device", camera.path] + options).finish()
            }
            let set = try controls("--set", "exposure=10ms", "--set", "brightness=20")
            #expect(set.status == 0 && set.output.contains("exposure: 10ms") && set.output.contains("brightness: 20"))
            let state = try camera.state()
            #expect(state["brightness"] == 20 && state["exposure"] == 100)
            #expect(try controls().output.contains("10ms"))
            let wrong = try controls("--reset", "--set", "brightness=100000")
            #expect(wrong.status == 64 && wrong.errors.contains("brightness cannot be '100000'"))
            #expect(try camera.state()["brightness"] == 20)
            let unknown = try controls("--set", "zest=3")
            #expect(unknown.status == 64 && unknown.errors.contains("no control 'zest'"))
            #expect(try controls("--set", "exposure=auto").status == 0)
            let locked = try controls("--set", "exposure_time_absolute=30")
            #expect(locked.status == 64 && locked.errors.contains("locked by auto_exposure"))
            #expect(try controls("--reset").status == 0)
            #expect(try camera.state()["brightness"] != 20)
        }

        @Test("what cannot be set ends as docs/faults.md says")
        func refused() throws {
            let camera = try LabCamera("serial=SN1", "fixed")
            func expect(_ name: String, _ status: Int32, _ code: String, _ setting: String) throws {
                let folder = try TemporaryFolder()
                let path = folder.path("frames.lcap")
                let options =
                    setting.hasPrefix("-") ? setting.split(separator: " ").map(String.init) : ["--set", setting]
                let outcome = try Livecap.start(
                    Livecap.recording(3, fps: 15, from: camera.path, size: "320x240", to: path) + options
                ).finish()
                try FaultRow(name: name, status: status, code: code).expect(outcome)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            try expect("the camera has no such control", 64, "no-such-control", "zest=3")
            try expect("a value out of range, or of another kind", 64, "bad-control-value", "brightness=100000")
            try expect("a value out of range, or of another kind", 64, "bad-control-value", "brightness=bright")
            try expect("the control can only be read", 64, "control-read-only", "contrast=5")
            try expect("an automatic mode locks the control", 64, "control-locked", "exposure_time_absolute=30")
            try expect("no profile of that name is kept for the camera", 64, "no-such-profile", "--profile none")
            try camera.fault(.refuseControl)
            try expect("the camera refuses the value", 74, "control-refused", "brightness=20")
            #expect(try camera.state()["brightness"] == 0)
        }

        @Test("a control that can only be read is refused, and named")
        func readOnly() throws {
            let camera = try LabCamera("serial=SN1", "fixed")
            let outcome = try RunningProgram(
                Livecap.program, ["controls", "--device", camera.path, "--set", "contrast=5"]
            ).finish()
            #expect(outcome.status == 64 && outcome.errors.contains("contrast cannot be set"), "\(outcome)")
            #expect(try camera.state()["contrast"] == 32)
            // The others can be set and reset all the same.
            let reset = try RunningProgram(Livecap.program, ["controls", "--device", camera.path, "--reset"]).finish()
            #expect(reset.status == 0, "\(reset)")
        }

        @Test("a vendor's control, once a program has mapped it, is set by V4L2's name and number")
        func vendor() throws {
            let camera = try LabCamera("serial=SN1")
            func controls(_ options: String...) throws -> Lab.Outcome {
                try RunningProgram(Livecap.program, ["controls", "--device", camera.path] + options).finish()
            }
            // uvcvideo has none of the vendor's controls until then.
            #expect(try controls("--set", "lab_vendor=5").status == 64)
            let program = try #require(ProcessInfo.processInfo.environment["LIVECAP_LAB_CAMERA"])
            let mapped = try Lab.run(program, ["map", camera.path])
            try #require(mapped.status == 0, "\(mapped)")
            let listed = try controls()
            #expect(listed.output.contains("lab_vendor"), "\(listed)")
            #expect(try controls("--set", "lab_vendor=5").status == 0)
            #expect(try camera.state()["vendor"] == 5)
            #expect(try controls("--set", "0xa1d6b01=9").status == 0)
            #expect(try camera.state()["vendor"] == 9)
            let wrong = try controls("--set", "lab_vendor=1001")
            #expect(wrong.status == 64 && wrong.errors.contains("1000"), "\(wrong)")
        }

        @Test("`devices` says that the privacy switch is closed, and so does a shot")
        func privacy() throws {
            let camera = try LabCamera("serial=SN1")
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "privacy=1"])
            let listed = try Lab.run(Livecap.program, ["devices"])
            #expect(listed.output.contains("suspended: its privacy switch is closed"), "\(listed)")
            let folder = try TemporaryFolder()
            let shot = try Lab.run(
                Livecap.program, ["shoot", "--device", camera.path, "--size", "320x240", "-o", folder.path("a.jpg")])
            #expect(shot.status == 0 && shot.errors.contains("the camera's privacy switch is closed"), "\(shot)")
        }

        @Test("a change by another program is seen, and an unplugged camera ends the changes")
        func changes() async throws {
            let camera = try LabCamera("serial=SN1")
            let record = try await CameraDirectory().camera(named: camera.path)
            let controls = try await CameraControls(of: record)
            var changes = try await controls.changes().makeAsyncIterator()
            let first = try #require(await changes.next())
            #expect(try first.value(of: .exposure) == .automatic)
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            let second = try #require(await changes.next())
            #expect(try second.value(of: .brightness) == .number(20))
            try await controls.set(.exposure, to: .duration(.milliseconds(10)))
            var last = second
            while try last.value(of: .exposure) != .duration(.milliseconds(10)) {
                last = try #require(await changes.next())
            }
            let path = camera.path
            try camera.unplug()
            try camera.waitUntilGone()
            while await changes.next() != nil {}
            await #expect(throws: CameraError.disconnected(path: path)) { try await controls.all }
        }
    }
}
