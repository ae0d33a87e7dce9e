// SPDX-License-Identifier: MIT
// Profiles of cameras: what is kept, and what becomes of a damaged file.

import Foundation
import Testing

@testable import Camera

@Suite struct ControlProfilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-profiles-\(UUID().uuidString)")
    private var profiles: ControlProfiles { ControlProfiles(path: folder.appending(path: "profiles").path) }
    private let camera = [
        control(0x98_0900, "Brightness", -64...64, value: 5),
        control(0x98_0901, "Contrast", 0...95, value: 0),
        control(0x98_0918, "Power Line Frequency", 0...2, .menu([0: "Disabled", 1: "50 Hz", 2: "60 Hz"]), value: 2),
        control(0x9A_0901, "Auto Exposure", 0...3, .menu([0: "Auto", 1: "Manual Mode"]), value: 1),
        control(0x9A_0902, "Exposure Time, Absolute", 1...5000, value: 100),
        control(0x9A_090A, "Focus, Absolute", 0...250, value: 30, isInactive: true),
    ]

    private static func control(
        _ id: UInt32, _ name: String, _ range: ClosedRange<Int64>, _ kind: CameraControl.Kind = .integer,
        value: Int64, isInactive: Bool = false
    ) -> CameraControl {
        CameraControl(
            id: .init(rawValue: id), name: name, kind: kind, minimum: range.lowerBound, maximum: range.upperBound,
            step: 1, defaultValue: 0, value: value, isInactive: isInactive, isReadOnly: false)
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "profiles"))
    }

    @Test func whatDiffersFromTheDefaultsIsKept() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try profiles.save("document", of: "usb-1", camera)
        let settings = try #require(profiles.read().settings("document", of: "usb-1"))
        #expect(
            settings.map(\.description) == [
                "0x980900=5", "0x980918=60_hz", "0x9a0901=manual_mode", "0x9a0902=10ms",
            ])
        let defaults = camera.map { $0.with(0) }
        let changes = try ControlPlan(settings, for: defaults).changes.map { "\($0.control.key)=\($0.value)" }
        #expect(
            Set(changes) == [
                "auto_exposure=1", "brightness=5", "power_line_frequency=2", "exposure_time_absolute=100",
            ])
    }

    @Test func eachCameraHasItsOwn() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try profiles.save("default", of: "usb-1", camera)
        try profiles.save("night", of: "usb-2", camera)
        #expect(profiles.read().names(of: "usb-1") == ["default"])
        #expect(profiles.read().settings("default", of: "usb-2") == nil)
    }

    @Test func savingAgainReplacesAndForgettingRemoves() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try profiles.save("night", of: "usb-1", camera)
        try profiles.save("night", of: "usb-1", [camera[0]])
        #expect(profiles.read().settings("night", of: "usb-1")?.count == 1)
        #expect(try profiles.forget("night", of: "usb-1"))
        #expect(try !profiles.forget("night", of: "usb-1"))
        #expect(profiles.read().names(of: "usb-1").isEmpty)
    }

    @Test func damagedLinesAreLeftOutAndTold() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("usb-1\tday\t0x980900=5\nusb-1\tno settings\nusb 2\tday\t\nusb-3\tday\tnonsense\n")
        let content = profiles.read()
        #expect(content.names(of: "usb-1") == ["day"])
        #expect(content.notice?.contains("3 lines are ignored") == true)
    }

    @Test(arguments: ["", "two words", "a\tb", String(repeating: "x", count: 65)])
    func oddNamesAreRefused(name: String) { #expect(!ControlProfiles.isName(name)) }
}
