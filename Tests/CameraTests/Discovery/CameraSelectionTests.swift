// SPDX-License-Identifier: MIT
// Which camera is preferred: the user's choices and their file, what was plugged in, and ranks.

import Foundation
import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraSelectionTests {
    private let machine = MachineTree()
    private var history: CameraHistory { CameraHistory(path: machine.root + "/state/livecap/cameras") }
    private func id(_ port: Int) -> String { "usb-046d:0825-port-0000:00:14.0-0:\(port)-if00" }

    private func camera(_ number: Int) throws -> CameraRecord {
        try #require(machine.directory.cameras().first { $0.path == machine.path(number) })
    }
    private func preferred(arrivals: [Int], before: [String: Int] = [:]) -> String? {
        let records = machine.directory.cameras().sorted { $0.path < $1.path }
        let cameras = zip(records, arrivals).map { ConnectedCamera(record: $0, arrival: $1) }
        let preference = CameraPreference(choices: history.read().choices, arrivalsBefore: before)
        return preference.ofSystem(cameras)?.record.path
    }

    @Test func theNewestConnectedChoiceIsPreferred() throws {
        for number in 0...2 { machine.plug(number, port: "\(number + 1)") }
        for number in [1, 2] { try history.choose(camera(number)) }
        #expect(preferred(arrivals: [0, 0, 0]) == machine.path(2))
        machine.unplug(2)
        #expect(preferred(arrivals: [0, 0]) == machine.path(1))
        #expect(try machine.directory(history: history).camera(named: "auto").path == machine.path(1))
    }

    @Test func withoutAChoiceTheNewestIsPreferred() {
        for number in 0...2 { machine.plug(number, port: "\(number + 1)") }
        #expect(preferred(arrivals: [0, 2, 1]) == machine.path(1))
        #expect(preferred(arrivals: [0, 0, 0]) == machine.path(0))
    }

    @Test func aCameraPluggedInIsPreferredUntilAnotherIsChosen() throws {
        for number in 0...2 { machine.plug(number, port: "\(number + 1)") }
        try history.choose(camera(0))
        // Chosen before the camera arrived, after it, and arrived again itself.
        #expect(preferred(arrivals: [0, 1, 0]) == machine.path(1))
        #expect(preferred(arrivals: [0, 1, 0], before: [id(1): 1]) == machine.path(0))
        #expect(preferred(arrivals: [0, 1, 2], before: [id(1): 1]) == machine.path(2))
        #expect(preferred(arrivals: [3, 1, 2], before: [id(1): 1]) == machine.path(0))
    }

    @Test func anInfraredCameraIsNotPreferredForBeingNew() {
        machine.plug(0, port: "1")
        machine.plug(1, port: "2", formats: [.grey])
        #expect(preferred(arrivals: [0, 1]) == machine.path(0))
    }

    @Test func aCameraWithItsPrivacySwitchClosedComesAfterTheOthers() throws {
        func privacy(_ value: Int64) -> CameraControl {
            CameraControl(
                id: .privacy, name: "Privacy", kind: .boolean, minimum: 0, maximum: 1, step: 1, defaultValue: 0,
                value: value, isInactive: false, isReadOnly: true)
        }
        for number in 0...2 { machine.plug(number, port: "\(number + 1)", controls: [privacy(number == 2 ? 1 : 0)]) }
        for number in [0, 2] { try history.choose(camera(number)) }
        #expect(preferred(arrivals: [0, 0, 1]) == machine.path(0))
        #expect(try machine.directory(history: history).camera(named: "auto").path == machine.path(0))
        try history.forget()
        #expect(preferred(arrivals: [0, 1, 2]) == machine.path(1))
        // If no other can be used, it is better than none.
        for number in 0...1 { machine.unplug(number) }
        #expect(preferred(arrivals: [0]) == machine.path(2))
    }

    @Test func aCameraInTroubleIsNeverPreferred() throws {
        machine.plug(0, port: "1")
        machine.plug(1, port: "2")
        try history.choose(camera(1))
        machine.answer(1, .failure(.permissionDenied(path: machine.path(1), group: nil)))
        #expect(preferred(arrivals: [0, 1]) == machine.path(0))
        machine.answer(0, .failure(.permissionDenied(path: machine.path(0), group: nil)))
        #expect(preferred(arrivals: [0, 1]) == nil)
    }

    @Test func aChoiceBySerialNumberDoesNotChooseBetweenTwins() throws {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(1, port: "2", serial: "OTHER7")
        try history.choose(camera(0))
        #expect(preferred(arrivals: [0, 0]) == machine.path(0))
        machine.plug(1, port: "2", serial: "ABC1")
        let choices = history.read().choices
        let cameras = machine.directory.cameras()
        #expect(cameras.allSatisfy { choices.place(of: $0, among: cameras) == nil })
    }

    @Test func theHistoryIsBoundedAndNamesEachOnce() throws {
        machine.plug(0)
        var camera = try camera(0)
        for number in 0..<40 {
            camera.identity = "usb-\(number)"
            try history.choose(camera)
        }
        camera.identity = "usb-20"
        try history.choose(camera)
        let choices = history.read().choices.map(\.identity)
        #expect(choices.count == CameraHistory.limit && choices.prefix(2) == ["usb-20", "usb-39"])
        #expect(Set(choices).count == choices.count)
    }

    @Test func aDamagedLineCostsOnlyItself() throws {
        machine.plug(0)
        try history.choose(camera(0))
        let whole = try String(contentsOfFile: history.path, encoding: .utf8)
        machine.write("no tab\n\u{1B}[2J\tx\n\n\t\n" + whole + id(9), to: "state/livecap/cameras")
        let content = history.read()
        #expect(content.choices.map(\.identity) == [id(2)] && content.notice?.contains("4 lines are") == true)
        try history.choose(camera(0))
        #expect(history.read().notice == nil)
    }

    @Test func bytesOfAnyKindAreReadWithoutHarm() throws {
        machine.makeFolder("state/livecap")
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = (0..<300).map { _ in
                [9, 10, 0x2D, 0xFF, 0x41, UInt8.random(in: 0...255, using: &generator)].randomElement()!
            }
            try Data(bytes).write(to: URL(filePath: history.path))
            #expect(history.read().choices.allSatisfy { $0.identity.allSatisfy(\.isASCII) && !$0.name.contains("\n") })
        }
    }

    @Test func aFileThatIsNoneIsReported() throws {
        machine.makeFolder("state/livecap")
        #expect(history.read() == CameraHistory.Content())
        mkfifo(history.path, 0o600)
        #expect(history.read().notice?.contains("not a regular file") == true)
        unlink(history.path)
        machine.link("state/livecap/cameras", to: "/dev/zero")
        #expect(history.read().choices.isEmpty && history.read().notice != nil)
        unlink(history.path)
        machine.write(String(repeating: "x\ty\n", count: 20_000), to: "state/livecap/cameras")
        #expect(history.read().notice?.contains("too large") == true)
    }

    @Test func namesCannotBreakTheFile() throws {
        machine.plug(0, name: "A\nB\tC")
        try history.choose(camera(0))
        #expect(history.read().choices.map(\.name) == ["A B C"])
    }

    @Test func forgettingIsComplete() throws {
        machine.plug(0)
        try history.choose(camera(0))
        try history.forget()
        #expect(history.read() == CameraHistory.Content())
        try history.forget()
    }

    @Test func readersFollowThePreferredCamera() async throws {
        machine.plug(0, port: "1")
        let discovery = try CameraDiscovery(machine.directory(history: history))
        let selection = CameraSelection(discovery)
        var preferred = selection.systemPreferredCameras.makeAsyncIterator()
        #expect(await preferred.next()??.path == machine.path(0))
        machine.plug(1, port: "2")
        #expect(await preferred.next()??.path == machine.path(1))
        try await selection.prefer(#require(await discovery.cameras.first { $0.path == machine.path(0) }))
        #expect(await preferred.next()??.path == machine.path(0))
        #expect(await selection.userPreferredCamera?.path == machine.path(0))
        machine.unplug(0)
        #expect(await preferred.next()??.path == machine.path(1))
        #expect(await selection.userPreferredCamera == nil)
        machine.unplug(1)
        #expect(await preferred.next() == .some(nil))
    }

    @Test func aChoiceOfAnotherProgramIsFollowed() async throws {
        for number in 0...1 { machine.plug(number, port: "\(number + 1)") }
        let selection = CameraSelection(try CameraDiscovery(machine.directory(history: history)))
        var chosen = selection.userPreferredCameras.makeAsyncIterator()
        #expect(await chosen.next() == .some(nil))
        let other = try #require(await machine.directory.cameras().first { $0.path == machine.path(1) })
        try history.choose(other)
        #expect(await chosen.next()??.path == machine.path(1))
    }
}
