// SPDX-License-Identifier: MIT
// Measured offsets of cameras: what is kept, and what becomes of a damaged file.

import Foundation
import Testing

@testable import Camera

@Suite struct CameraOffsetsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-offsets-\(UUID().uuidString)")
    private var offsets: CameraOffsets { CameraOffsets(path: folder.appending(path: "offsets").path) }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "offsets"))
    }

    @Test func anOffsetHoldsInBothDirections() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try offsets.save(.init(.milliseconds(12), bound: .microseconds(800)), of: "usb-2", from: "usb-1")
        let content = offsets.read()
        #expect(content.offset(of: "usb-2", from: "usb-1") == .init(.milliseconds(12), bound: .microseconds(800)))
        #expect(content.offset(of: "usb-1", from: "usb-2") == .init(.milliseconds(-12), bound: .microseconds(800)))
        #expect(content.offset(of: "usb-3", from: "usb-1") == nil && content.notice == nil)
    }

    @Test func aNewMeasurementReplacesTheOldOneInEitherDirection() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try offsets.save(.init(.milliseconds(12), bound: .zero), of: "usb-2", from: "usb-1")
        try offsets.save(.init(.milliseconds(3), bound: .zero), of: "usb-3", from: "usb-1")
        try offsets.save(.init(.milliseconds(-10), bound: .zero), of: "usb-1", from: "usb-2")
        #expect(offsets.read().offset(of: "usb-2", from: "usb-1")?.value == .milliseconds(10))
        #expect(offsets.read().offset(of: "usb-3", from: "usb-1")?.value == .milliseconds(3))
        #expect(try offsets.forget("usb-2", from: "usb-1"))
        #expect(try !offsets.forget("usb-2", from: "usb-1"), "it is not known any more")
        #expect(offsets.read().offset(of: "usb-3", from: "usb-1") != nil)
    }

    @Test func scenesAreKeptBesideCamerasAndAllAreListed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let scene = "synthetic:handheld:seed=1,noise=1.0"
        try offsets.save(.init(.milliseconds(40), bound: .milliseconds(1)), of: scene, from: "/dev/v4l/one")
        let content = offsets.read()
        #expect(content.notice == nil && content.offset(of: scene, from: "/dev/v4l/one")?.value == .milliseconds(40))
        #expect(content.offset(of: scene + "0", from: "/dev/v4l/one") == nil, "another scene")
        #expect(content.entries.map(\.first) == ["/dev/v4l/one"])
        #expect(content.entries.map(\.second) == [CameraOffsets.key(scene)])
        #expect(try offsets.forget(CameraOffsets.key(scene), from: "/dev/v4l/one"))
        #expect(offsets.read().entries.isEmpty)
    }

    @Test func damagedLinesAreIgnoredAndReported() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(
            """
            # comment
            usb-1\tusb-2\t5000000\t1000
            usb-1\tusb-3\t99000000000\t0
            usb-1\tusb-4\t1\t-1
            usb-1\tusb-1\t1\t1
            usb-1\tusb-5

            """)
        let content = offsets.read()
        #expect(content.offset(of: "usb-2", from: "usb-1") == .init(.milliseconds(5), bound: .microseconds(1)))
        #expect(content.offset(of: "usb-3", from: "usb-1") == nil)
        #expect(content.offset(of: "usb-4", from: "usb-1") == nil)
        #expect(content.notice?.contains("4 lines are ignored") == true, "\(content.notice ?? "")")
    }
}
