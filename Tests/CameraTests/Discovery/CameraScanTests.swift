// SPDX-License-Identifier: MIT
// The account of nodes, driven by reports and by a clock of the test's own.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraScanTests {
    private let machine = MachineTree()
    private let start = Timestamp(nanoseconds: 1_000_000_000)
    private func scan() -> CameraScan {
        var scan = CameraScan(machine.directory)
        scan.look(at: start)
        return scan
    }
    private func forbid(_ number: Int) {
        machine.answer(number, .failure(.permissionDenied(path: machine.path(number), group: "video")))
    }

    @Test func aReportedCameraIsAddedAndRemoved() {
        var scan = scan()
        machine.plug(0)
        scan.note(.added("video0"), at: start)
        #expect(scan.cameras(at: start).map(\.record.path) == [machine.path(0)])
        machine.unplug(0)
        scan.note(.removed("video0"), at: start)
        #expect(scan.cameras(at: start).isEmpty)
    }

    @Test func aFastReplugIsAnotherArrival() {
        machine.plug(0)
        var scan = scan()
        let before = scan.cameras(at: start)
        scan.note(.removed("video0"), at: start)
        scan.note(.added("video0"), at: start)
        let after = scan.cameras(at: start)
        #expect(before[0].record == after[0].record && before[0].arrival != after[0].arrival)
    }

    @Test func lostReportsAreMadeUpForByLooking() {
        machine.plug(0)
        var scan = scan()
        machine.unplug(0)
        machine.plug(4)
        scan.note(.lost, at: start)
        #expect(scan.cameras(at: start).map(\.record.path) == [machine.path(4)])
    }

    @Test func lookingAgainAsksNobodyAgain() {
        machine.plug(0)
        var scan = scan()
        scan.look(at: start)
        #expect(machine.asked == ["/dev/video0"])
    }

    @Test func permissionThatComesLateIsWaitedFor() {
        var scan = scan()
        machine.plug(0)
        let answers = CameraAnswers(name: "Eye", bus: "usb", driver: "uvcvideo", offers: [])
        forbid(0)
        scan.note(.added("video0"), at: start)
        #expect(scan.cameras(at: start).isEmpty && scan.patience(at: start) == .milliseconds(50))
        machine.answer(0, .success(answers))
        scan.tryForbidden()
        #expect(scan.cameras(at: start).map(\.record.trouble) == [nil] && scan.patience(at: start) == nil)
    }

    @Test func permissionThatDoesNotComeIsReported() {
        var scan = scan()
        machine.plug(0)
        forbid(0)
        scan.note(.added("video0"), at: start)
        let late = start + .seconds(2)
        #expect(scan.cameras(at: late).first?.record.trouble != nil && scan.patience(at: late) == .milliseconds(500))
    }

    @Test func aCameraThatWasForbiddenFromTheBeginningIsShownAtOnce() {
        machine.plug(0)
        forbid(0)
        #expect(scan().cameras(at: start).count == 1)
    }

    @Test func aNodeThatGoesWhileItIsAskedIsNoCamera() {
        var scan = scan()
        machine.plug(0)
        machine.answer(0, .failure(.disconnected(path: machine.path(0))))
        scan.note(.added("video0"), at: start)
        #expect(scan.cameras(at: start).isEmpty)
    }
}

@Suite struct CameraDifferencesTests {
    private let machine = MachineTree()
    private func connected(_ arrival: Int) -> [ConnectedCamera] {
        machine.directory.cameras().map { ConnectedCamera(record: $0, arrival: arrival) }
    }
    private func all(_ differences: inout CameraDifferences, _ cameras: [ConnectedCamera]) -> [String] {
        var changes: [String] = []
        while let change = differences.next(cameras) {
            let word = "\(change)".prefix { $0 != "(" }
            changes.append("\(word) \(change.camera.path.suffix(1))")
        }
        return changes
    }

    @Test func aReaderSeesWhatIsThereAndThenChanges() {
        var differences = CameraDifferences(CameraFilter())
        machine.plug(0, port: "1", serial: "ABC1")
        #expect(all(&differences, connected(0)) == ["present 0"])
        machine.plug(1, port: "2", serial: "ABC1")
        #expect(all(&differences, connected(0)) == ["changed 0", "added 1"])
        machine.unplug(1)
        #expect(all(&differences, connected(0)) == ["removed 1", "changed 0"])
        #expect(all(&differences, connected(0)).isEmpty)
    }

    @Test func aReplugIsSeenByASlowReader() {
        var differences = CameraDifferences(CameraFilter())
        machine.plug(0)
        _ = all(&differences, connected(0))
        #expect(all(&differences, connected(7)) == ["removed 0", "added 0"])
    }

    @Test func otherKindsAreNotSeen() {
        var differences = CameraDifferences(CameraFilter(kinds: [.infrared]))
        machine.plug(0, port: "1")
        machine.plug(1, port: "2", formats: [.grey])
        #expect(all(&differences, connected(0)) == ["present 1"])
    }
}
