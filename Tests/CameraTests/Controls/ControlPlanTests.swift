// SPDX-License-Identifier: MIT
// Settings of controls: which values of which controls they mean, and what is refused.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct ControlPlanTests {
    private static let exposureModes: [Int64: String] = [1: "Manual Mode", 3: "Aperture Priority Mode"]
    private static let mains: [Int64: String] = [0: "Disabled", 1: "50 Hz", 2: "60 Hz", 3: "Auto"]

    /// The controls of a webcam that exposes and balances by itself.
    private let webcam = [
        control(0x98_0900, "Brightness", -64...64, value: 0),
        control(0x98_090C, "White Balance, Automatic", 0...1, .boolean, value: 1),
        control(0x98_0918, "Power Line Frequency", 0...3, .menu(mains), value: 1),
        control(0x98_091A, "White Balance Temperature", 2800...6500, step: 100, value: 4600, isInactive: true),
        control(0x9A_0901, "Auto Exposure", 0...3, .menu(exposureModes), value: 3),
        control(0x9A_0902, "Exposure Time, Absolute", 3...2047, value: 250, isInactive: true),
        control(0x9A_0909, "Tilt, Absolute", -3600...3600, value: nil, isReadOnly: true),
        control(0x9A_091F, "Do Something", 0...0, .button, value: nil),
    ]

    private static func control(
        _ id: UInt32, _ name: String, _ range: ClosedRange<Int64>, _ kind: CameraControl.Kind = .integer,
        step: UInt64 = 1, value: Int64?, isInactive: Bool = false, isReadOnly: Bool = false
    ) -> CameraControl {
        CameraControl(
            id: .init(rawValue: id), name: name, kind: kind, minimum: range.lowerBound, maximum: range.upperBound,
            step: step, defaultValue: range.lowerBound, value: value, isInactive: isInactive, isReadOnly: isReadOnly)
    }

    /// The changes for settings, as "KEY=NUMBER".
    private func changes(_ texts: String..., of controls: [CameraControl]? = nil) throws(ControlError) -> [String] {
        try ControlPlan(texts.map { ControlSetting($0)! }, for: controls ?? webcam).changes
            .map { "\($0.control.key)=\($0.value)" }
    }

    @Test(arguments: [
        ("brightness=-3", ["brightness=-3"]),
        ("Brightness = default", ["brightness=-64"]),
        ("power-line=50 Hz", ["power_line_frequency=1"]),
        ("power_line_frequency=60hz", ["power_line_frequency=2"]),
        ("power-line=60", ["power_line_frequency=2"]),
        ("power-line=auto", ["power_line_frequency=3"]),
        ("power-line=dis", ["power_line_frequency=0"]),
        ("0x980918=2", ["power_line_frequency=2"]),
        ("9963800=2", ["power_line_frequency=2"]),
        ("white balance automatic=off", ["white_balance_automatic=0"]),
        ("white-balance=auto", ["white_balance_automatic=1"]),
        ("do_something=press", ["do_something=1"]),
    ])
    func aSettingMeansOneValue(text: String, expected: [String]) throws {
        #expect(try changes(text) == expected)
    }

    @Test func aValueEndsTheAutomaticMode() throws {
        #expect(try changes("exposure=10ms") == ["auto_exposure=1", "exposure_time_absolute=100"])
        #expect(try changes("exposure=1/100s") == ["auto_exposure=1", "exposure_time_absolute=100"])
    }

    @Test func whetherSettingsArePossibleIsAnswered() {
        #expect(webcam.refusal(of: [ControlSetting(.exposure, .duration(.milliseconds(10)))]) == nil)
        #expect(webcam.refusal(of: [ControlSetting(.tilt, .number(0))]) == .readOnly("tilt"))
        let locked = ControlSetting("exposure_time_absolute", .number(20))
        guard case .locked? = webcam.refusal(of: [locked]) else { return _ = Issue.record("it is locked") }
        #expect(webcam.refusal(of: [ControlSetting("auto_exposure", .word("manual_mode")), locked]) == nil)
        guard case .unknown? = webcam.refusal(of: [ControlSetting("x", .number(1))]) else {
            return _ = Issue.record("there is no x")
        }
    }

    @Test func timesHaveTheirUsualUnit() {
        let texts = ["20s", "1.5s", "10ms", "0.1ms"]
        #expect(texts.map { ControlValue($0)?.description } == texts)
        #expect(throws: ControlError.self) { try changes("exposure=20s") }
        #expect(
            webcam.refusal(of: [ControlSetting("exposure=20s")!])?.message == "exposure cannot be '20s'")
    }

    @Test func aManualModeStays() throws {
        let manual = webcam.map { control in
            control.key == "auto_exposure"
                ? Self.control(0x9A_0901, control.name, 0...3, control.kind, value: 1) : control
        }
        #expect(try changes("exposure=10ms", of: manual) == ["exposure_time_absolute=100"])
    }

    @Test func modesComeFirst() throws {
        #expect(
            try changes("exposure_time_absolute=20", "brightness=1", "auto_exposure=manual_mode")
                == ["auto_exposure=1", "exposure_time_absolute=20", "brightness=1"])
    }

    @Test func theLastOfSeveralWins() throws {
        #expect(try changes("brightness=1", "brightness=2") == ["brightness=2"])
        #expect(try changes("exposure=10ms", "exposure=auto") == ["auto_exposure=3"])
        #expect(try changes("white-balance=5000", "white-balance=default").last == "white_balance_temperature=2800")
    }

    @Test func valuesBetweenStepsAreRounded() throws {
        #expect(try changes("white-balance=4649") == ["white_balance_automatic=0", "white_balance_temperature=4600"])
        #expect(try changes("white-balance=4650") == ["white_balance_automatic=0", "white_balance_temperature=4700"])
    }

    @Test func theDefaultIsThatOfModeAndValue() throws {
        #expect(
            try changes("white-balance=default") == ["white_balance_automatic=0", "white_balance_temperature=2800"])
        let automatic = webcam.map { control in
            control.key == "white_balance_automatic"
                ? Self.control(0x98_090C, control.name, 1...1, .boolean, value: 0) : control
        }
        #expect(try changes("white-balance=default", of: automatic) == ["white_balance_automatic=1"])
    }

    @Test func aLockedControlNamesItsLock() {
        let error = ControlError.locked("exposure_time_absolute", by: "auto_exposure", unlock: "auto_exposure=1")
        #expect(throws: error) { try changes("exposure_time_absolute=100") }
        #expect(error.hint == "set auto_exposure=1 first")
    }

    @Test func whatIsOutOfRangeNamesTheRange() {
        #expect(throws: ControlError.badValue("brightness", value: "65", accepted: "it can be -64 to 64")) {
            try changes("brightness=65")
        }
        #expect(throws: ControlError.badValue("exposure", value: "1s", accepted: "it can be 0.3ms to 204.7ms")) {
            try changes("exposure=1s")
        }
    }

    @Test func anExposureNeedsItsUnit() {
        guard
            case .badValue(_, _, let accepted)? = failure(of: { () throws(ControlError) in try changes("exposure=100") }
            )
        else {
            Issue.record("a plain number was accepted")
            return
        }
        #expect(accepted.contains("10ms"))
    }

    @Test(arguments: [
        "brightness=auto", "brightness=high", "exposure=100", "power-line=70hz", "brightness=10ms", "power-line=7",
        "power-line=5", "power-line=ü", "brightness=on",
        "exposure=-5", "exposure=0.1us", "do_something=off", "brightness=default-1",
    ])
    func nonsenseIsRefused(text: String) {
        #expect(throws: ControlError.self) { try changes(text) }
    }

    @Test func unknownControlsAreListed() {
        let names = ["exposure", "white-balance", "tilt", "brightness", "power-line", "do_something"]
        #expect(throws: ControlError.unknown("zoom", available: names)) { try changes("zoom=3") }
    }

    @Test func whatCannotBeSetIsRefused() {
        #expect(throws: ControlError.readOnly("tilt")) { try changes("tilt=0") }
    }

    @Test func nothingIsSetIfOneSettingIsWrong() {
        #expect(throws: ControlError.self) { try changes("brightness=1", "zoom=3") }
    }

    @Test func valuesAreReadAsTheyAreSet() throws {
        #expect(try webcam.value(of: .exposure) == .automatic)
        #expect(try webcam.value(of: "exposure_time_absolute") == .duration(.milliseconds(25)))
        #expect(try webcam.value(of: .powerLine) == .word("50_hz"))
        #expect(try webcam.value(of: .brightness) == .number(0))
        #expect(try webcam.value(of: .tilt) == nil)
    }

    @Test func itemsThatAreNumbersAreMeantByWhatTheySay() throws {
        let bias: [Int64: String] = [0: "-1500", 1: "0", 2: "1500", 3: "2"]
        let camera = [Self.control(0x9A_0913, "Exposure Bias", 0...3, .menu(bias), value: 0)]
        #expect(try changes("exposure_bias=-1500", of: camera) == ["exposure_bias=0"])
        #expect(try changes("exposure_bias=2", of: camera) == ["exposure_bias=3"])
        #expect(try camera.value(of: "exposure_bias") == .number(-1500))
        #expect(throws: ControlError.self) { try changes("exposure_bias=3", of: camera) }
    }

    @Test func aDriversControlMayHaveACommonName() throws {
        let old = [Self.control(0x98_0911, "Exposure", 0...255, value: 9)]
        #expect(try changes("exposure=100", of: old) == ["exposure=100"])
        #expect(try old.value(of: .exposure) == .number(9))
        #expect(old.controls(of: .exposure).count == 1)
    }

    @Test func onlyModesCanBeAutomatic() throws {
        let flip = [Self.control(0x98_0914, "Horizontal Flip", 0...1, .boolean, value: 0)]
        #expect(throws: ControlError.notAutomatic("horizontal_flip")) { try changes("horizontal_flip=auto", of: flip) }
        #expect(try changes("auto_exposure=auto") == ["auto_exposure=3"])
    }

    @Test func wishesThatCannotBeMetAreLeftOut() {
        let wishes = ["brightness=1", "zoom=3", "auto_exposure=1", "exposure_time_absolute=20"].map {
            ControlSetting($0)!
        }
        let changes = ControlPlan(possible: wishes, for: webcam).changes.map { "\($0.control.key)=\($0.value)" }
        #expect(changes == ["auto_exposure=1", "brightness=1", "exposure_time_absolute=20"])
    }

    @Test func aResetIsPlannedWith() throws {
        #expect(throws: ControlError.self) {
            try changes("white_balance_temperature=3000")
        }
        // The fixture's default of the mode is manual.
        let plan = try ControlPlan([ControlSetting("white_balance_temperature=3000")!], for: webcam.afterReset)
        #expect(plan.changes.count == 1)
    }

    @Test func hostileRangesDoNotTrap() throws {
        let wide = Self.control(
            1, "Wide", Int64.min...Int64.max, .integer64, step: UInt64.max, value: 0)
        #expect(try changes("wide=\(Int64.max)", of: [wide]) == ["wide=\(Int64.max)"])
    }

    @Test func twoControlsOfOneNameNeedTheirNumbers() {
        let twins = [Self.control(0x01, "Gain", 0...1, value: 0), Self.control(0x02, "Gain", 0...1, value: 0)]
        #expect(throws: ControlError.ambiguous("gain", numbers: ["0x1", "0x2"])) { try changes("gain=1", of: twins) }
    }
}

@Suite struct ControlSettingTests {
    @Test(arguments: [
        ("exposure=10ms", ControlValue.duration(.milliseconds(10))), ("exposure=0.5s", .duration(.milliseconds(500))),
        ("exposure=1/50", .duration(.milliseconds(20))), ("exposure=200us", .duration(.microseconds(200))),
        ("focus=auto", .automatic), ("x=default", .standard), ("x=-5", .number(-5)), ("x=0x10", .number(16)),
        ("x=50 Hz", .word("50 Hz")), (" x = on ", .word("on")), ("x=1=2", .word("1=2")), ("x=1/0", .word("1/0")),
        ("x=9999999999999999999", .word("9999999999999999999")),
    ])
    func textsHaveOneMeaning(text: String, value: ControlValue) { #expect(ControlSetting(text)?.value == value) }

    @Test(arguments: ["", "exposure", "=10ms", "exposure=", "exposure= ", "-=3"])
    func othersHaveNone(text: String) { #expect(ControlSetting(text) == nil) }

    @Test(arguments: ["exposure=10ms", "exposure=0.1ms", "gain=20", "focus=auto", "power-line=50_hz"])
    func theyPrintAsTheyAreRead(text: String) { #expect(ControlSetting(text)?.description == text) }
}
