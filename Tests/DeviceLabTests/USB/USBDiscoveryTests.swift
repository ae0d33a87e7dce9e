// SPDX-License-Identifier: MIT
// Which nodes of USB devices are cameras, and which cameras come first.

import Testing

@testable import Camera

extension DeviceLab {
    @Suite("discovery of USB cameras")
    struct USBDiscoveryTests {
        @Test("metadata nodes are no cameras; infrared and depth come after colour")
        func kinds() throws {
            let bus = try LabBus()
            let depth = try LabCamera(on: bus, name: "depth", port: 0, "depth", "model=Lab_Depth")
            let infrared = try LabCamera(on: bus, name: "infrared", port: 1, "infrared", "model=Lab_Infrared")
            let colour = try LabCamera(on: bus, name: "colour", port: 2, "model=Lab_Colour")
            let found = CameraDirectory().cameras().filter { $0.driver == "uvcvideo" }
            #expect(found.map(\.path) == [colour.path, infrared.path, depth.path])
            #expect(found.map { $0.name.prefix { $0 != ":" } } == ["Lab Colour", "Lab Infrared", "Lab Depth"])
            #expect(found.map(\.kind) == [.color, .infrared, .depth])
            #expect(Set(found[1].offers.map(\.pixelFormat)) == [.grey])
        }

        @Test("20 cameras")
        func twenty() throws {
            let bus = try LabBus()
            let cameras = try (0..<20).map { try LabCamera(on: bus, name: "c\($0)", port: $0, "serial=SN\($0)") }
            let found = CameraDirectory().cameras().filter { $0.driver == "uvcvideo" }
            #expect(Set(found.map(\.path)) == Set(cameras.map(\.path)))
            #expect(Set(found.map(\.identity)).count == 20)
            // One of them by its id.
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let chosen = try #require(found.first { $0.path == cameras[13].path }).identity
            let outcome = try Livecap.start(Livecap.recording(3, fps: 15, from: chosen, size: "320x240", to: path))
                .finish()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try LabMarks.all(inRecording: path).map(\.camera) == [13, 13, 13])
        }

        @Test("twins without serial numbers, plugged in in another order, keep the ids of their ports")
        func twins() throws {
            let bus = try LabBus()
            let twins = try (0..<2).map { try LabCamera(on: bus, name: "twin\($0)", port: $0) }
            func identities() -> [String: String] {
                let found = CameraDirectory().cameras().filter { $0.driver == "uvcvideo" }
                return Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.identity) })
            }
            let first = identities()
            let ids = try twins.map { try #require(first[$0.path]) }
            #expect(Set(ids).count == 2 && ids.allSatisfy { $0.contains("-port-") }, "\(ids)")
            // Their name is that of both.
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            try FaultRow(name: "a name fits two cameras", status: 69, code: "ambiguous-name")
                .expect(Livecap.start(Livecap.recording(3, from: "Lab Camera", size: "320x240", to: path)).finish())
            for twin in twins { try twin.unplug() }
            // Each in its port again, the second one first: the nodes change, the ids do not.
            for twin in twins.reversed() { try twin.plug() }
            let second = identities()
            #expect(try twins.map { try #require(second[$0.path]) } == ids)
            for twin in twins { try twin.unplug() }
            // In each other's port: nothing distinguishes them, and the ids name the ports.
            for (twin, port) in zip(twins, [1, 0]) { try twin.plug(into: port) }
            let third = identities()
            #expect(try twins.map { try #require(third[$0.path]) } == ids.reversed())
        }
    }
}
