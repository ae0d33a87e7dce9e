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
        }
    }
}
