// SPDX-License-Identifier: MIT
// The lines about a camera's controls, also of a camera that has many.

import Glibc
import Testing

@testable import Camera
@testable import livecap

@Suite struct ControlReportTests {
    private func control(
        _ id: UInt32, _ name: String, _ kind: CameraControl.Kind = .integer, value: Int64 = 1
    ) -> CameraControl {
        CameraControl(
            id: .init(rawValue: id), name: name, kind: kind, minimum: 0, maximum: 9, step: 1, defaultValue: 1,
            value: value, isInactive: false, isReadOnly: false)
    }

    @Test func commonNamesComeFirstAndCoverTheirControls() {
        let controls = [
            control(0x98_1901, "Own"), control(0x98_0912, "Gain, Automatic", .boolean), control(0x98_0913, "Gain"),
        ]
        #expect(
            controls.lines == [
                "gain  auto (1 now)  0 to 9; default 1, or auto", "own   1             0 to 9; default 1",
            ])
    }

    @Test func aNameOfTwoControlsIsNotCommon() {
        let controls = [control(1, "Zoom"), control(2, "zoom"), control(3, "Tilt")]
        #expect(controls.lines.map { $0.prefix { $0 != " " } } == ["tilt", "zoom", "zoom"])
    }

    /// With a look at every control for every other one, this takes many minutes. A sanitizer makes it do so anyway.
    @Test(.timeLimit(.usual), .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func manyControlsAreListedAtOnce() {
        let controls = (0..<3000).map { control(0x98_1900 + UInt32($0), "Control \($0)") }
        #expect(controls.lines.count == 3000)
    }
}
