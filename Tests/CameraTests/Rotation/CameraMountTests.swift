// SPDX-License-Identifier: MIT
// How cameras are mounted: words, turns, and the file that keeps them.

import Foundation
import LivecapFiles
import Testing

@testable import Camera

@Suite struct CameraMountTests {
    private let folder = MachineTree()
    private var path: String { folder.root + "/state/livecap/mounts" }
    private var mounts: CameraMounts { CameraMounts(path: path) }
    private let upsideDown = CameraMount(angle: .half)

    @Test(arguments: [
        ("0", CameraMount.upright), ("180", CameraMount(angle: .half)), ("mirror", CameraMount(isMirrored: true)),
        ("90,mirror", CameraMount(angle: .quarter, isMirrored: true)),
    ]) func wordsForMounts(text: String, mount: CameraMount) { #expect(CameraMount(text) == mount) }

    @Test(arguments: [
        "", "45", "90,", ",mirror", "mirror,90", "90,90", "mirror,mirror", "90,mirror,mirror", "-90", "360",
    ])
    func otherWordsAreNone(text: String) { #expect(CameraMount(text) == nil) }

    @Test func turnsAddUp() {
        #expect(RotationAngle.quarter + .threeQuarters == .none)
        #expect(RotationAngle.none - .quarter == .threeQuarters)
        for first in RotationAngle.allCases {
            for second in RotationAngle.allCases { #expect(first + second - second == first) }
        }
    }

    @Test func theyAreKeptPerCameraUntilUpright() throws {
        try mounts.set(upsideDown, of: "usb-a", name: "Eye\tof\nmine")
        try mounts.set(CameraMount(angle: .quarter, isMirrored: true), of: "usb-b", name: "Other")
        #expect(mounts.read().mount(of: "usb-a") == upsideDown)
        #expect(mounts.read().mount(of: "usb-b") == CameraMount(angle: .quarter, isMirrored: true))
        #expect(mounts.read().mount(of: "usb-c") == .upright)
        try mounts.set(.upright, of: "usb-a", name: "Eye")
        #expect(mounts.read().mount(of: "usb-a") == .upright)
        #expect(mounts.read().mount(of: "usb-b") != .upright)
        #expect(mounts.read().notice == nil)
        try mounts.set(.upright, of: "usb-b", name: "Other")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func whatCanBeReadOfADamagedFileCounts() throws {
        try mounts.set(upsideDown, of: "usb-a", name: "Eye")
        var text = try String(contentsOfFile: path, encoding: .utf8)
        text += "usb-b\t45\tEye\nusb-c\n../up\t90\tEye\nusb-d\t90\tEye\nusb-a\t90\ttwice\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(mounts.read().mount(of: "usb-a") == upsideDown)
        #expect(mounts.read().mount(of: "usb-d") == CameraMount(angle: .quarter))
        #expect(mounts.read().notice?.contains("is damaged") == true)
    }

    @Test func aFolderInItsPlaceIsReportedAndIgnored() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(mounts.read().notice?.contains("not a regular file") == true)
        #expect(throws: FileError.self) { try mounts.set(upsideDown, of: "usb-a", name: "Eye") }
    }
}
