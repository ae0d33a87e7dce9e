// SPDX-License-Identifier: MIT
// `livecap devices` with cameras that come and go, without a virtual machine: sysfs, nodes, ioctls and udev are mocked.

import Foundation
import Glibc
import Testing

/// Not under a sanitizer, whose library would have to be loaded before umockdev's.
@Suite(.serialized, .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) struct DevicesTests {
    private let cameras: MockCameras

    init() throws { cameras = try MockCameras() }

    private func livecap(_ arguments: String...) throws -> Outcome {
        try RunningLivecap(arguments, shell: cameras.shell).finish()
    }

    /// The event and the node of a line that the program prints.
    private func line(_ count: Int, of program: RunningLivecap) throws -> String {
        let object = try program.line(count)
        return "\(object["event"] ?? "?") \(object["path"] ?? "?") \(object["name"] ?? "?")"
    }

    @Test func camerasAreFollowedAsTheyComeAndGo() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        let program = try RunningLivecap(["devices", "--watch", "--json"], shell: cameras.shell)
        #expect(try line(1, of: program) == "present /dev/video0 Mock Eye")
        try cameras.plug(2, port: "2.4", serial: "XYZ9", name: "Other Eye")
        #expect(try line(2, of: program) == "added /dev/video2 Other Eye")
        // Only a report says that a node is another's now: nothing that can be seen in folders has changed.
        try cameras.command("rename 2 Third")
        try cameras.command("report 2 change")
        #expect(try line(3, of: program) == "changed /dev/video2 Third")
        try cameras.command("unplug 2")
        #expect(try line(4, of: program) == "removed /dev/video2 Third")
        program.signal(SIGINT)
        #expect(program.finish().status == 0)
    }

    @Test func aMountIsKeptAndShown() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        #expect(try livecap("devices").output.contains("mounted") == false)
        let kept = try livecap("devices", "--mount", "Mock Eye=180,mirror")
        #expect(kept.status == 0 && kept.output.contains("mirrored and turned by 180°"), "\(kept)")
        #expect(try livecap("devices").output.contains("mounted: pictures are mirrored and turned by 180°"))
        let shown = try livecap("devices", "--json").object["mount"] as? [String: Any]
        #expect(shown?["angle"] as? Int == 180 && shown?["mirrored"] as? Bool == true)
        #expect(try livecap("devices", "--mount", "Mock Eye=0").status == 0)
        #expect(try livecap("devices").output.contains("mounted") == false)
        #expect(try livecap("devices", "--mount", "Mock Eye=45").status == 64)
        #expect(try livecap("devices", "--mount", "Nobody=90").status == 69)
    }

    @Test func aFastReplugIsNotLost() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        let program = try RunningLivecap(["devices", "--watch", "--json"], shell: cameras.shell)
        #expect(try line(1, of: program) == "present /dev/video0 Mock Eye")
        // The node stays, so only reports say that its camera was unplugged.
        try cameras.command("report 0 remove")
        try cameras.command("report 0 add")
        #expect(try line(3, of: program) == "added /dev/video0 Mock Eye")
        program.signal(SIGTERM)
        #expect(program.finish().status == 128 + SIGTERM)
    }

    @Test func aReaderThatLeavesEndsIt() throws {
        let pipe = Pipe()
        let program = try RunningLivecap(
            ["devices", "--watch"], shell: cameras.shell, output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        try pipe.fileHandleForReading.close()
        #expect(program.finish().status == 0)
    }

    @Test func twinsAreListedByTheirPortsAndNamedByThem() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        try cameras.plug(2, port: "2", serial: "ABC1")
        let ids = try livecap("devices", "--json").objects.map { $0["id"] as? String }
        #expect(ids == [1, 2].map { "usb-046d:0825-port-0000:00:14.0-0:\($0)-if00" })
        let refused = try livecap("devices", "--prefer", "mock eye", "--json")
        let error = try refused.object
        #expect(refused.status == 69 && error["code"] as? String == "ambiguous-name")
        #expect(ids.allSatisfy { (error["hint"] as? String)?.contains($0 ?? "?") == true })
    }

    @Test func thePreferredCameraComesFirstUntilItIsForgotten() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        try cameras.plug(2, port: "2", serial: "XYZ9", name: "Other Eye")
        func first() throws -> String? { try livecap("devices", "--json").objects.first?["path"] as? String }
        #expect(try first() == "/dev/video0")
        #expect(try livecap("devices", "--prefer", "other").output.contains("Other Eye is preferred"))
        #expect(try first() == "/dev/video2")
        #expect(try livecap("devices", "--forget").status == 0)
        #expect(try first() == "/dev/video0")
    }

    @Test func kindsAreListedAlone() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        try cameras.plug(2, port: "2", serial: "XYZ9", format: "GREY", name: "Night Eye")
        let object = try livecap("devices", "--kind", "infrared", "--json").object
        #expect(object["name"] as? String == "Night Eye" && object["kind"] as? String == "infrared")
        #expect(object["presets"] as? [String] == ["hd720", "photo"] && object["position"] as? String == "external")
        #expect(try livecap("devices", "--kind", "depth").errors.contains("no camera found that fits"))
    }

    @Test func thoseOfAPositionAreListedAlone() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        #expect(try livecap("devices", "--position", "external", "--json").object["path"] as? String == "/dev/video0")
        #expect(try livecap("devices", "--position", "built-in").errors.contains("no camera found that fits"))
        let both = try livecap("devices", "--position", "built-in", "--position", "external", "--json").object
        #expect(both["path"] as? String == "/dev/video0")
    }
}
