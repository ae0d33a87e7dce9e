// SPDX-License-Identifier: MIT
// Every transition from one state of readiness to another, and that there are no others.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

/// The events of a session, one at a time.
private enum Event: CaseIterable {
    case start, stop, firstFrame, settled, newEpoch, interrupted, resumed, switchedOff, switchedOn
    case tracked, released, requested, framesLeased, requestFailed, shotDone, roomLost, roomFound

    /// Whether the event is possible in this state. No count exceeds three.
    func canHappen(to machine: ReadinessMachine) -> Bool {
        switch self {
        case .start: !machine.isRunning
        case .stop: machine.isRunning
        case .firstFrame, .settled, .newEpoch, .interrupted: machine.isRunning
        case .resumed: machine.isRunning && !machine.isCameraOff
        case .switchedOff:
            machine.isRunning && machine.hasFrame && machine.tracked + machine.waiting + machine.processing == 0
        case .switchedOn: machine.isCameraOff
        case .tracked: machine.tracked < 3
        case .released: machine.tracked > 0
        case .requested: machine.isRunning && machine.waiting < 3
        case .framesLeased: machine.waiting > 0 && machine.processing < 3
        case .requestFailed: machine.waiting > 0
        case .shotDone: machine.processing > 0
        case .roomLost: machine.hasRoom
        case .roomFound: !machine.hasRoom
        }
    }

    func happen(to machine: inout ReadinessMachine) {
        switch self {
        case .start: machine.isRunning = true
        case .stop: machine.isRunning = false
        case .firstFrame: machine.hasFrame = true
        case .settled: machine.isSettled = true
        case .newEpoch: machine.isSettled = false
        case .interrupted: machine.isInterrupted = true
        case .resumed: machine.isInterrupted = false
        case .switchedOff: (machine.isCameraOff, machine.isInterrupted) = (true, true)
        case .switchedOn: machine.isCameraOff = false
        case .tracked: machine.tracked += 1
        case .released: machine.tracked -= 1
        case .requested: machine.waiting += 1
        case .framesLeased: (machine.waiting, machine.processing) = (machine.waiting - 1, machine.processing + 1)
        case .requestFailed: machine.waiting -= 1
        case .shotDone: machine.processing -= 1
        case .roomLost: machine.hasRoom = false
        case .roomFound: machine.hasRoom = true
        }
    }
}

private struct Step: Hashable {
    let from: CaptureReadiness
    let to: CaptureReadiness
}

@Suite struct ReadinessMachineTests {
    private static let running: [Event] = [.start, .firstFrame, .settled]

    private func machine(responsive: Bool, maxWaiting: Int = 2) -> ReadinessMachine {
        var machine = ReadinessMachine()
        (machine.isResponsive, machine.maxWaiting) = (responsive, maxWaiting)
        return machine
    }

    /// The states that follow from these events, without repetitions.
    private func states(_ events: [Event], responsive: Bool) -> [CaptureReadiness] {
        var machine = machine(responsive: responsive)
        var states = [machine.state]
        for event in Self.running + events {
            event.happen(to: &machine)
            if machine.state != states.last { states.append(machine.state) }
        }
        return Array(states.dropFirst(2))
    }

    /// Every change of state that a single event can cause, from every state of the machine that events can
    /// reach.
    private func reachableSteps(responsive: Bool) -> Set<Step> {
        var (steps, seen, open): (Set<Step>, Set<ReadinessMachine>, [ReadinessMachine]) = ([], [], [])
        open.append(machine(responsive: responsive))
        seen.insert(open[0])
        while let machine = open.popLast() {
            for event in Event.allCases where event.canHappen(to: machine) {
                var next = machine
                event.happen(to: &next)
                if next.state != machine.state { steps.insert(Step(from: machine.state, to: next.state)) }
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return steps
    }

    @Test("Only the first frame leaves the state notRunning; every other step can happen")
    func responsiveSteps() {
        let missing = allSteps.subtracting(reachableSteps(responsive: true))
        #expect(
            missing
                == Set([
                    Step(from: .notRunning, to: .ready), Step(from: .notRunning, to: .notReadyWaitingForCapture),
                    Step(from: .notRunning, to: .notReadyWaitingForProcessing),
                ]).union(Self.stepsThatNoCameraTakes))
    }

    /// A camera is switched off when nothing needs it, and its first frames come after it was switched on.
    private static let stepsThatNoCameraTakes: Set<Step> = [
        Step(from: .notRunning, to: .notReadyCameraOff), Step(from: .notReadyWaitingForCapture, to: .notReadyCameraOff),
        Step(from: .notReadyCameraOff, to: .ready), Step(from: .notReadyCameraOff, to: .notReadyWaitingForCapture),
        Step(from: .notReadyCameraOff, to: .notReadyWaitingForProcessing),
    ]

    @Test("Without overlap, a shot is captured before it is processed")
    func plainSteps() {
        let missing = allSteps.subtracting(reachableSteps(responsive: false))
        #expect(
            missing
                == Set([
                    Step(from: .notRunning, to: .ready), Step(from: .notRunning, to: .notReadyWaitingForCapture),
                    Step(from: .notRunning, to: .notReadyWaitingForProcessing),
                    Step(from: .ready, to: .notReadyWaitingForProcessing),
                    Step(from: .notReadyWaitingForProcessing, to: .notReadyCameraOff),
                ]).union(Self.stepsThatNoCameraTakes))
    }

    private var allSteps: Set<Step> {
        Set(
            CaptureReadiness.allCases.flatMap { from in
                CaptureReadiness.allCases.filter { $0 != from }.map { Step(from: from, to: $0) }
            })
    }

    @Test("One shot after the other: capture, then processing, then ready")
    func plain() {
        #expect(
            states([.requested, .framesLeased, .shotDone], responsive: false)
                == [.ready, .notReadyWaitingForCapture, .notReadyWaitingForProcessing, .ready])
    }

    @Test("Responsive capture is ready while shots are processed, up to the limit of waiting shots or memory")
    func responsive() {
        #expect(states([.requested, .framesLeased], responsive: true) == [.ready])
        #expect(
            states([.requested, .requested, .framesLeased], responsive: true)
                == [.ready, .notReadyWaitingForCapture, .ready])
        #expect(
            states([.requested, .requested, .roomLost, .framesLeased, .shotDone, .roomFound], responsive: true)
                == [.ready, .notReadyWaitingForCapture, .notReadyWaitingForProcessing, .ready])
    }

    @Test("A tracked request counts like a submitted one")
    func tracked() {
        #expect(states([.tracked, .released], responsive: false) == [.ready, .notReadyWaitingForCapture, .ready])
        #expect(
            states([.tracked, .requested, .released], responsive: true) == [.ready, .notReadyWaitingForCapture, .ready])
    }

    @Test("A restarted stream, or a change of exposure, is momentary")
    func interruptions() {
        #expect(
            states([.interrupted, .resumed, .newEpoch, .settled], responsive: true)
                == [.ready, .notReadyMomentarily, .ready, .notReadyMomentarily, .ready])
        #expect(
            states([.requested, .interrupted, .resumed], responsive: false)
                == [.ready, .notReadyWaitingForCapture, .notReadyMomentarily, .notReadyWaitingForCapture])
    }

    @Test("A camera that is off is needed by the first request")
    func cameraOff() {
        #expect(
            states([.switchedOff, .tracked, .switchedOn, .resumed], responsive: true)
                == [.ready, .notReadyCameraOff, .notReadyMomentarily, .ready])
    }

    @Test("What a stopped stream showed does not count for the next")
    func restart() {
        #expect(states([.stop, .start], responsive: true) == [.ready, .notRunning, .notReadyMomentarily])
        var machine = machine(responsive: true)
        Event.firstFrame.happen(to: &machine)
        Event.settled.happen(to: &machine)
        Event.start.happen(to: &machine)
        #expect(machine.state == .notReadyMomentarily)
    }

    @Test("The estimated wait is that of the state")
    func waits() {
        var machine = machine(responsive: false)
        machine.waitForCapture = .milliseconds(30)
        machine.waitForProcessing = .milliseconds(400)
        #expect(machine.readiness == Readiness(.notRunning))
        for event in Self.running { event.happen(to: &machine) }
        #expect(machine.readiness == Readiness(.ready, estimatedWait: .zero))
        Event.requested.happen(to: &machine)
        #expect(machine.readiness == Readiness(.notReadyWaitingForCapture, estimatedWait: .milliseconds(30)))
        Event.framesLeased.happen(to: &machine)
        #expect(machine.readiness == Readiness(.notReadyWaitingForProcessing, estimatedWait: .milliseconds(400)))
    }
}
