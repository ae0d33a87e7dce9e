// SPDX-License-Identifier: MIT
// The angles of photos and previews, by the user's word and by a sensor on a bus of the test's own.

import Foundation
import Testing

@testable import Camera

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct RotationCoordinatorTests {
    private let folder = MachineTree()
    private var mounts: CameraMounts { CameraMounts(path: folder.root + "/state/livecap/mounts") }

    private func coordinator(bus: String? = nil, facesUser: Bool = true) -> RotationCoordinator {
        RotationCoordinator(
            camera: "usb-a", turnsWithDevice: bus != nil, facesUser: facesUser, mounts: mounts, bus: bus)
    }

    /// Waits until an angle has this value.
    private func wait(for angle: RotationAngle, in angles: RotationAngles) async {
        for await now in angles where now == angle { return }
    }

    @Test func theUsersWordCountsFromTheStart() throws {
        try mounts.set(CameraMount(angle: .half, isMirrored: true), of: "usb-a", name: "")
        let rotation = coordinator()
        #expect(rotation.captureAngle == .half && rotation.isMirrored)
        #expect(rotation.previewAngle == .half)
        #expect(rotation.notice == nil)
    }

    @Test func previewsOfCamerasThatFaceTheUserAreMirrored() {
        #expect(coordinator(bus: "unix:path=/nonexistent").isPreviewMirrored)
        #expect(!coordinator(bus: "unix:path=/nonexistent", facesUser: false).isPreviewMirrored)
        #expect(!coordinator().isPreviewMirrored)
    }

    @Test func anotherProgramsWordIsFollowed() async throws {
        let rotation = coordinator()
        var angles = rotation.captureAngles.makeAsyncIterator()
        #expect(await angles.next() == RotationAngle.none)
        try mounts.set(CameraMount(angle: .quarter), of: "usb-a", name: "")
        #expect(await angles.next() == .quarter)
    }

    @Test func itsOwnWordIsKept() async throws {
        try await coordinator().setMount(CameraMount(angle: .half))
        #expect(mounts.read().mount(of: "usb-a").angle == .half)
        #expect(coordinator().captureAngle == .half)
    }

    @Test func aTurnedDisplayChangesThePreviewOnly() async throws {
        let rotation = coordinator()
        rotation.displayAngle = .quarter
        #expect(rotation.previewAngle == .threeQuarters && rotation.captureAngle == .none)
    }

    @Test func aCancelledReaderEnds() async {
        let rotation = coordinator()
        let reader = Task {
            for await _ in rotation.captureAngles {}
            return true
        }
        reader.cancel()
        #expect(await reader.value)
    }

    @Test(
        .enabled(if: PrivateBus.isThere),
        arguments: [
            ("left-up", RotationAngle.threeQuarters, RotationAngle.quarter), ("right-up", .quarter, .threeQuarters),
            ("bottom-up", .half, .half),
        ]) func theDeviceIsFollowed(side: String, front: RotationAngle, back: RotationAngle) async throws
    {
        let bus = try PrivateBus()
        let sensor = try FakeSensor(on: bus)
        try mounts.set(CameraMount(angle: .half), of: "usb-a", name: "")
        for (facesUser, angle) in [(true, front), (false, back)] {
            let rotation = coordinator(bus: bus.address, facesUser: facesUser)
            let angles = rotation.captureAngles
            try sensor.turn(side)
            await wait(for: angle + .half, in: angles)
            // Lying flat, the device is as it was.
            try sensor.turn("undefined")
            try sensor.turn("normal")
            await wait(for: .half, in: angles)
            #expect(rotation.notice == nil)
        }
    }

    @Test(.enabled(if: PrivateBus.isThere)) func aSensorThatComesLaterIsFollowed() async throws {
        let bus = try PrivateBus()
        let rotation = coordinator(bus: bus.address)
        let angles = rotation.captureAngles
        await until { rotation.notice != nil }
        #expect(rotation.notice?.hasPrefix("no accelerometer: ") == true)
        let sensor = try FakeSensor(on: bus)
        try sensor.turn("bottom-up")
        await wait(for: .half, in: angles)
        #expect(rotation.notice == nil)
        try sensor.turn("none")
        await wait(for: .none, in: angles)
    }

    @Test func withoutABusTheAnglesAreThoseOfTheMount() async throws {
        try mounts.set(CameraMount(angle: .quarter), of: "usb-a", name: "")
        let rotation = coordinator(bus: "unix:path=\(folder.root)/nothing")
        rotation.follow()
        await until { rotation.notice != nil }
        #expect(rotation.notice?.contains("D-Bus") == true)
        #expect(rotation.captureAngle == .quarter)
    }

    @Test(.enabled(if: PrivateBus.isThere)) func aBusThatEndsIsReported() async throws {
        var bus: PrivateBus? = try PrivateBus()
        let rotation = coordinator(bus: try #require(bus?.address))
        rotation.follow()
        await until { rotation.notice?.contains("no accelerometer") == true }
        bus = nil
        await until { rotation.notice?.contains("was lost") == true }
        #expect(rotation.captureAngle == .none)
    }

    private func until(_ isTrue: () -> Bool) async {
        while !isTrue(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
    }
}
