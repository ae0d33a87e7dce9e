// SPDX-License-Identifier: MIT
// Pressure on the machine, read from folders made by hand in place of /proc and /sys.

import Foundation
import LivecapFrames
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct PressureTests {
    /// A machine whose accounts and temperatures are files.
    private final class Machine {
        let root = NSTemporaryDirectory() + "livecap-pressure-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func write(_ text: String, _ path: String) throws {
            let file = URL(filePath: root + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
        }

        func stall(_ account: String, _ share: Double) throws {
            try write(
                "some avg10=\(share) avg60=0.00 avg300=0.00 total=77\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7",
                "/proc/pressure/\(account)")
        }

        func zone(_ degrees: Int, _ trips: [(type: String, degrees: Int)], number: Int = 0) throws {
            let zone = "/sys/class/thermal/thermal_zone\(number)"
            try write("x86_pkg_temp", zone + "/type")
            try write("\(degrees * 1000)", zone + "/temp")
            for (index, trip) in trips.enumerated() {
                try write(trip.type, zone + "/trip_point_\(index)_type")
                try write("\(trip.degrees * 1000)", zone + "/trip_point_\(index)_temp")
            }
        }

        var factors: [SystemPressure.Factor] { PressureReader(root: root).factors }
    }

    private let machine = Machine()

    @Test func aMachineThatSaysNothingIsUnderNone() { #expect(machine.factors.isEmpty) }

    @Test(arguments: [
        ("memory", 4.9, nil), ("memory", 5, SystemPressure.Level.fair), ("memory", 20, .serious),
        ("memory", 50, .critical), ("cpu", 49, nil), ("cpu", 75, .serious), ("io", 30, .fair), ("io", 85, .critical),
    ]) func waitingIsPressure(account: String, share: Double, level: SystemPressure.Level?) throws {
        try machine.stall(account, share)
        #expect(machine.factors.first?.level == level)
    }

    @Test(arguments: [
        "", "full avg10=99.00", "some avg10=", "some avg10=nan", "some avg10=101", "some avg10=-1", "some", "\u{0}",
    ]) func accountsThatMakeNoSenseAreNone(text: String) throws {
        try machine.write(text, "/proc/pressure/memory")
        #expect(machine.factors.isEmpty)
    }

    @Test(arguments: [
        (84, nil), (85, SystemPressure.Level.fair), (90, .serious), (99, .serious), (100, .critical),
    ]) func heatIsPressure(degrees: Int, level: SystemPressure.Level?) throws {
        try machine.zone(degrees, [("passive", 90), ("critical", 105), ("active", 50)])
        #expect(machine.factors.first?.level == level)
    }

    @Test func zonesThatMakeNoSenseAreNone() throws {
        try machine.zone(-274, [("passive", 90)])
        try machine.zone(60, [], number: 1)
        try machine.zone(60, [("passive", -1)], number: 2)
        #expect(machine.factors.isEmpty)
    }

    @Test func theStrongestCauseComesFirst() throws {
        try machine.stall("io", 35)
        try machine.stall("memory", 60)
        try machine.zone(91, [("passive", 90)])
        #expect(machine.factors.map(\.resource) == [.memory, .temperature, .io])
        #expect(machine.factors[0].words == "processes wait for memory 60 % of the time")
    }

    @Test func itRisesAtOnceAndSubsidesStepByStep() {
        var gauge = PressureGauge()
        let begin = Timestamp(nanoseconds: 1_000_000_000_000)
        var levels: [SystemPressure.Level] = []
        for second in 0..<50 {
            gauge.note(second < 3 ? .critical : .nominal, at: begin + .seconds(second))
            if levels.last != gauge.level { levels.append(gauge.level) }
            if second == 2 { #expect(gauge.level == .critical) }
            if second == 11 { #expect(gauge.level == .critical) }
            if second == 12 { #expect(gauge.level == .serious) }
        }
        #expect(levels == [.critical, .serious, .fair, .nominal])
    }

    @Test func aShortPauseDoesNotRelieve() {
        var gauge = PressureGauge()
        for second in 0..<60 {
            gauge.note(second % 8 == 0 ? .serious : .nominal, at: Timestamp(nanoseconds: 0) + .seconds(second))
            #expect(gauge.level == .serious)
        }
    }

    @Test func itIsFollowed() async throws {
        try machine.stall("memory", 0)
        let monitor = try SystemPressureMonitor(root: machine.root)
        var changes = monitor.changes.makeAsyncIterator()
        #expect(await changes.next() == SystemPressure.none)
        try machine.stall("memory", 30)
        let pressure = try #require(await changes.next())
        #expect(pressure.level == .serious && pressure.factors.map(\.resource) == [.memory])
        #expect(monitor.current.level == .serious)
        // A file is not the kernel's account, which could report by itself; and it is never written to.
        #expect(monitor.notice?.contains("every 2 s") == true)
        let text = try String(contentsOfFile: machine.root + "/proc/pressure/memory", encoding: .utf8)
        #expect(text.hasPrefix("some avg10=30.0"))
    }

    @Test(arguments: [
        (PhotoQuality.quality, SystemPressure.Level.nominal, PhotoQuality.quality), (.quality, .fair, .quality),
        (.quality, .serious, .balanced), (.quality, .critical, .speed), (.balanced, .serious, .balanced),
        (.balanced, .critical, .speed), (.speed, .critical, .speed), (.single, .critical, .single),
        (.merge, .critical, .merge),
    ]) func thePolicyStepsDown(asked: PhotoQuality, level: SystemPressure.Level, given: PhotoQuality) {
        #expect(PressurePolicy.stepsDown.limited(asked, at: level) == given)
        #expect(PressurePolicy.none.limited(asked, at: level) == asked)
    }

    /// A photo at this level of memory pressure.
    private func photo(_ policy: PressurePolicy, stall: Double) async throws -> Photo {
        try machine.stall("memory", stall)
        let (session, script) = try scripted {
            $0.pressurePolicy = policy
            $0.pressureRoot = machine.root
        }
        session.begin()
        script.frames(0..<20)
        var pressures = session.systemPressures?.makeAsyncIterator()
        while let pressure = await pressures?.next(), (pressure.level > .nominal) != (stall > 0) {}
        let photo = try await session.photoOutput.photo(
            PhotoSettings(quality: .balanced, frames: 2), at: .offset(.milliseconds(100)))
        #expect(session.photoOutput.readiness.current.state != .notRunning)
        await session.stop()
        return photo
    }

    @Test func photosUnderPressureAreSteppedDownIfThatIsAsked() async throws {
        let lowered = try await photo(.stepsDown, stall: 90)
        #expect(lowered.qualityAsked == .balanced && lowered.qualityGiven == .speed)
        // Not by taps in quick succession.
        #expect(lowered.isRelieved && !lowered.isPrioritized)
        let plain = try await photo(.none, stall: 90)
        #expect(plain.qualityGiven == .balanced && !plain.isRelieved)
        #expect(try await photo(.stepsDown, stall: 0).qualityGiven == .balanced)
    }

    /// What the session's outputs may get at critical pressure.
    @Test(arguments: [(PressurePolicy.stepsDown, FrameRate?(FrameRate(5))), (.none, nil)])
    func pressureLowersTheRateOfOutputsIfThatIsAsked(policy: PressurePolicy, rate: FrameRate?) async throws {
        try machine.stall("memory", 90)
        let (session, _) = try scripted {
            $0.pressureRoot = machine.root
            $0.pressurePolicy = policy
        }
        session.begin()
        _ = session.systemPressures
        for await case .systemPressureChanged(let pressure) in session.events where pressure.level == .critical {
            break
        }
        #expect(session.sinks.maxRate == rate)
        await session.stop()
    }

    @Test func theSessionReportsIt() async throws {
        try machine.stall("memory", 90)
        let (session, _) = try scripted {
            $0.pressureRoot = machine.root
            $0.pressurePolicy = .stepsDown
        }
        session.begin()
        for await event in session.events {
            guard case .systemPressureChanged(let pressure) = event else { continue }
            #expect(pressure.level == .critical)
            break
        }
        #expect(session.systemPressure.level == .critical)
        await session.stop()
    }
}
