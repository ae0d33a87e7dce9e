// SPDX-License-Identifier: MIT
// The exposures of a bracket, and what puts a camera back.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct ExposureStepsTests {
    private func control(
        _ id: UInt32, _ kind: CameraControl.Kind, _ range: ClosedRange<Int64>, step: UInt64 = 1, _ value: Int64?
    ) -> CameraControl {
        CameraControl(
            id: .init(rawValue: id), name: "c\(id)", kind: kind, minimum: range.lowerBound, maximum: range.upperBound,
            step: step, defaultValue: range.lowerBound, value: value, isInactive: false, isReadOnly: false)
    }

    private func camera(_ exposure: Int64?, mode: Int64?, step: UInt64 = 1) -> [CameraControl] {
        [control(0x9A_0902, .integer, 3...2047, step: step, exposure)]
            + (mode.map { [control(0x9A_0901, .menu([1: "Manual", 3: "Aperture"]), 0...3, $0)] } ?? [])
    }

    @Test func eachStepDoublesOrHalvesTheTime() throws {
        let steps = try ExposureSteps([-2, -1, 0, 0.5, 1], from: camera(100, mode: 1))
        #expect(steps.base == .milliseconds(10))
        #expect(steps.exposures == [2500, 5000, 10_000, 14_100, 20_000].map(Duration.microseconds))
    }

    @Test func theRangeOfTheCameraIsKept() throws {
        let steps = try ExposureSteps([-8, 8], from: camera(100, mode: 1))
        #expect(steps.exposures == [.microseconds(300), .microseconds(204_700)])
        // 3, 13 ... 2043.
        let coarse = try ExposureSteps([-8, -1, 8], from: camera(103, mode: 1, step: 10))
        #expect(coarse.exposures == [300, 5300, 204_300].map(Duration.microseconds))
    }

    @Test func anAutomaticCameraBecomesAutomaticAgain() throws {
        let steps = try ExposureSteps([0], from: camera(100, mode: 3))
        #expect(steps.restoring == [ControlSetting(ControlName("c\(0x9A_0901)"), .number(3))])
    }

    @Test func aCameraSetByHandGetsItsExposureBack() throws {
        let exposure = ControlSetting(.exposure, .duration(.milliseconds(10)))
        #expect(
            try ExposureSteps([1], from: camera(100, mode: 1)).restoring
                == [exposure, ControlSetting(ControlName("c\(0x9A_0901)"), .number(1))])
        #expect(try ExposureSteps([1], from: camera(100, mode: nil)).restoring == [exposure])
    }

    @Test func aCameraWithoutExposureIsRefused() {
        #expect(throws: ControlError.self) { try ExposureSteps([0], from: []) }
        #expect(throws: ControlError.self) { try ExposureSteps([0], from: camera(nil, mode: 1)) }
    }
}
