// SPDX-License-Identifier: MIT
// Kinds, positions, presets and the order of cameras.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraKindTests {
    private let machine = MachineTree()
    private func only() throws -> CameraRecord { try #require(machine.directory.cameras().first) }

    @Test(
        arguments: [
            ([PixelFormat.mjpeg, .yuyv], CameraKind.color), ([.grey], .infrared), ([.y10], .infrared),
            ([PixelFormat("Y16 "), .grey], .infrared), ([PixelFormat("Z16 ")], .depth),
            ([PixelFormat("Z16 "), .grey], .depth), ([.grey, .yuyv], .color), ([.cnf4], .depth), ([.inzi], .depth),
        ])
    func formatsMakeTheKind(_ formats: [PixelFormat], _ kind: CameraKind) throws {
        machine.plug(0, formats: formats)
        #expect(try only().kind == kind)
    }

    @Test func aCameraThatCannotBeAskedHasNoKind() throws {
        machine.plug(0)
        machine.answer(0, .failure(.busy(path: machine.path(0), holder: nil)))
        #expect(try only().kind == nil && only().trouble != nil && !CameraFilter(kinds: [.color]).includes(only()))
        #expect(try CameraFilter().includes(only()))
    }

    @Test func nodesWithoutVideoAreNoCameras() {
        machine.plug(0)
        machine.plug(1, index: 1)
        machine.answer(1, .success(nil))
        #expect(machine.directory.cameras().map(\.path) == [machine.path(0)])
    }

    @Test(arguments: [
        ("removable", CameraPosition.external), ("fixed", .builtIn), ("unknown", .unknown), ("", .unknown),
    ])
    func theKernelKnowsThePosition(_ removable: String, _ position: CameraPosition) throws {
        machine.plug(0, removable: removable)
        #expect(try only().position == position)
    }

    @Test func presetsAreSizesThatAreReadable() throws {
        machine.plug(0, formats: [.mjpeg])
        #expect(try only().presets == [.hd720, .photo])
        machine.plug(0, formats: [PixelFormat("H264")])
        #expect(try only().presets == [.hd720, .photo])
        machine.plug(0, formats: [PixelFormat("Z16 ")])
        #expect(try only().presets.isEmpty)
    }

    @Test func colourOnUSBComesFirst() {
        machine.plug(0, port: "1", formats: [PixelFormat("Z16 ")])
        machine.plug(1, port: "2", formats: [.grey])
        machine.plug(2, port: "3")
        machine.plug(3, port: "4")
        machine.answer(2, .failure(.busy(path: machine.path(2), holder: nil)))
        #expect(machine.directory.cameras().map { String($0.path.suffix(1)) } == ["3", "1", "0", "2"])
    }
}
