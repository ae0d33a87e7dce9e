// SPDX-License-Identifier: MIT
// Works out which values of which controls a list of settings asks for, without a camera.

import LivecapFrames

/// One value for one control.
struct ControlChange: Hashable, Sendable {
    let control: CameraControl
    let value: Int64
}

/// Turns settings into changes of a camera's controls.
struct ControlPlan {
    private let controls: [CameraControl]
    /// In the order in which they are to be made: modes first, because they unlock the values that depend on them.
    private(set) var changes: [ControlChange] = []

    /// Plans for a camera with `controls`, of which later settings win.
    init(_ settings: [ControlSetting], for controls: [CameraControl]) throws(ControlError) {
        self.controls = controls
        for setting in settings { try add(setting) }
        let modes = changes.filter { isMode($0.control) }
        changes = modes + changes.filter { !isMode($0.control) }
        for change in changes { try requireUnlocked(change.control) }
    }

    private mutating func add(_ setting: ControlSetting) throws(ControlError) {
        guard let role = ControlRole.named(setting.name), controls.has(role) else {
            let control = try controls.control(named: setting.name)
            return try change(control, to: setting.value)
        }
        let mode = role.mode.flatMap { mode in controls.first { $0.id == mode.id } }
        switch setting.value {
        case .automatic:
            guard let mode, let value = role.mode?.automatic.first(where: mode.accepts) else {
                // Such as the frequency of the mains, of which "auto" is an item.
                if let control = controls[role.id] { return try change(control, to: .automatic) }
                throw .notAutomatic(setting.name.text)
            }
            set(mode, value)
            changes.removeAll { $0.control.id == role.id }
        case .standard:
            if let mode { set(mode, mode.defaultValue) }
            // An automatic mode decides on the value.
            let isAutomatic = mode.map { role.mode?.automatic.contains($0.defaultValue) == true } ?? false
            if let control = controls[role.id], !isAutomatic { set(control, control.defaultValue) }
        case .number, .duration, .word:
            guard let control = controls[role.id] else {
                guard let mode else { throw .unknown(setting.name.text, available: controls.names) }
                return try change(mode, to: setting.value)
            }
            let value = try control.value(for: setting)
            if let mode, let current = self.value(of: mode), role.mode?.manual.contains(current) == false,
                let manual = role.mode?.manual.first(where: mode.accepts)
            {
                set(mode, manual)
            }
            set(control, value)
        }
    }

    private mutating func change(_ control: CameraControl, to value: ControlValue) throws(ControlError) {
        guard control.isSettable else { throw .readOnly(control.key) }
        set(control, try control.value(for: ControlSetting(ControlName(control.key), value)))
    }

    private mutating func set(_ control: CameraControl, _ value: Int64) {
        changes.removeAll { $0.control.id == control.id }
        changes.append(ControlChange(control: control, value: value))
    }

    /// The value that a control has once the changes so far are made.
    private func value(of control: CameraControl) -> Int64? {
        changes.first { $0.control.id == control.id }?.value ?? control.value
    }

    private func isMode(_ control: CameraControl) -> Bool { ControlRole.all.contains { $0.mode?.id == control.id } }

    /// A locked control can be set if its mode is changed first. Of locks between other controls nothing is known, so the
    /// camera decides if any other is changed.
    private func requireUnlocked(_ control: CameraControl) throws(ControlError) {
        guard control.isInactive else { return }
        guard let lock = controls.possibleLock(of: control) else {
            guard changes.count == 1 else { return }
            throw .locked(control.key, by: nil, unlock: nil)
        }
        let mode = value(of: lock.control)
        guard mode.map({ lock.mode.manual.contains($0) }) != true else { return }
        let unlock = lock.mode.manual.first(where: lock.control.accepts).map { "\(lock.control.key)=\($0)" }
        throw .locked(control.key, by: lock.control.key, unlock: unlock)
    }
}

extension [CameraControl] {
    /// The control with a number; nil if there is none.
    subscript(id: CameraControl.ID) -> CameraControl? { first { $0.id == id } }

    /// The names that the camera's controls can be set by.
    var names: [String] {
        ControlRole.all.filter(has).map(\.name.text)
            + filter { control in
                control.isSettable && !ControlRole.all.contains { [$0.id, $0.mode?.id].contains(control.id) }
            }.map(\.key)
    }

    /// Whether a role has any of its controls.
    func has(_ role: ControlRole) -> Bool { contains { $0.id == role.id || $0.id == role.mode?.id } }

    /// The control that can lock another one, and how; nil if none is known.
    func possibleLock(of control: CameraControl) -> (control: CameraControl, mode: ControlRole.Mode)? {
        guard let mode = ControlRole.all.first(where: { $0.id == control.id })?.mode, let lock = self[mode.id] else {
            return nil
        }
        return (lock, mode)
    }

    /// The control that locks another one now; nil if it is not locked, or if that is not known.
    public func lock(of control: CameraControl) -> CameraControl? {
        control.isInactive ? possibleLock(of: control)?.control : nil
    }

    /// The common name that stands for a control; nil if it has none.
    public func commonName(of control: CameraControl) -> ControlName? {
        ControlRole.all.first { $0.id == control.id || $0.mode?.id == control.id }?.name
    }

    /// The controls that a name stands for: the value, and its mode if it has one.
    public func controls(of name: ControlName) -> [CameraControl] {
        guard let role = ControlRole.named(name) else { return (try? control(named: name)).map { [$0] } ?? [] }
        return [self[role.id], role.mode.flatMap { self[$0.id] }].compactMap(\.self)
    }

    /// The control that `name` means.
    /// - Throws: `unknown`, `ambiguous`.
    public func control(named name: ControlName) throws(ControlError) -> CameraControl {
        if let role = ControlRole.named(name), let control = self[role.id] ?? role.mode.flatMap({ self[$0.id] }) {
            return control
        }
        let number = Int64(name.text) ?? name.text.lowercased().hexadecimal
        if let number, let control = first(where: { Int64($0.id.rawValue) == number }) { return control }
        let found = filter { $0.key == name.text.asControlKey }
        guard found.count <= 1 else {
            throw .ambiguous(name.text, numbers: found.map { "0x\(String($0.id.rawValue, radix: 16))" })
        }
        guard let control = found.first else { throw .unknown(name.text, available: names) }
        return control
    }

    /// How `name` is set: `automatic`, or its value as `ControlSetting` takes it. Nil if it cannot be read.
    /// - Throws: `unknown`, `ambiguous`.
    public func value(of name: ControlName) throws(ControlError) -> ControlValue? {
        if let role = ControlRole.named(name), let mode = role.mode, let value = self[mode.id]?.value,
            mode.automatic.contains(value)
        {
            return .automatic
        }
        return try control(named: name).present
    }
}

extension CameraControl {
    /// Its present value as `ControlSetting` takes it; nil if it cannot be read.
    public var present: ControlValue? { value.map(described) }

    /// A value of this control as `ControlSetting` takes it.
    public func described(_ value: Int64) -> ControlValue {
        switch kind {
        case .menu(let items): items[value].map { .word($0.asControlKey) } ?? .number(value)
        case .boolean: .word(value == 0 ? "off" : "on")
        default: id == ControlRole.exposure.id ? .duration(ControlRole.exposureUnit * value) : .number(value)
        }
    }

    /// What it accepts, for people.
    public var accepted: String {
        switch kind {
        case .boolean: return "on or off"
        case .menu(let items): return items.keys.sorted().map { "\(described($0))" }.joined(separator: ", ")
        case .button: return "press"
        case .other: return "nothing that livecap can set"
        case .integer, .integer64:
            let range = "\(described(minimum)) to \(described(maximum))"
            return step > 1 ? "\(range) in steps of \(step)" : range
        }
    }

    /// Whether it can have that value.
    func accepts(_ value: Int64) -> Bool {
        if case .menu(let items) = kind { return items[value] != nil }
        return (minimum...max(minimum, maximum)).contains(value)
    }

    /// The number that a setting means. Numbers between two steps are rounded.
    fileprivate func value(for setting: ControlSetting) throws(ControlError) -> Int64 {
        guard isSettable else { throw .readOnly(setting.name.text) }
        let bad = ControlError.badValue(
            setting.name.text, value: "\(setting.value)", accepted: "it can be \(accepted)")
        switch (setting.value, kind) {
        case (_, .button): return 1
        case (.standard, _): return defaultValue
        case (.automatic, .menu(let items)):
            guard let item = items.keys.sorted().first(where: { items[$0]!.asControlKey.hasPrefix("auto") }) else {
                throw .notAutomatic(setting.name.text)
            }
            return item
        case (.automatic, .boolean): return 1
        case (.automatic, _): throw .notAutomatic(setting.name.text)
        case (.number(let number), .menu) where !accepts(number):
            return try value(for: ControlSetting(setting.name, .word("\(number)")))
        case (.number(let number), _):
            guard accepts(number) else { throw bad }
            // A plain number of an exposure is meant in seconds by some, in V4L2's unit by others.
            if ControlRole.named(setting.name)?.id == ControlRole.exposure.id {
                throw .badValue(
                    setting.name.text, value: "\(number)",
                    accepted: "say the unit, as in \(setting.name)=10ms; or set \(key), which counts in 0.1ms")
            }
            return rounded(number)
        case (.duration(let time), _):
            let unit = ControlRole.exposureUnit.nanoseconds
            let units = max(1, (time.nanoseconds + unit / 2) / unit)
            guard id == ControlRole.exposure.id, accepts(units) else { throw bad }
            return rounded(units)
        case (.word(let word), .boolean):
            switch word.lowercased() {
            case "on", "yes", "true": return 1
            case "off", "no", "false": return 0
            default: throw bad
            }
        case (.word(let word), .menu(let items)):
            // "60 Hz" is "60hz", too.
            let wish = word.asControlKey.filter { $0 != "_" }
            let names = items.mapValues { $0.asControlKey.filter { $0 != "_" } }
            let found = names.filter { $0.value == wish }.keys.sorted()
            let begun = names.filter { $0.value.hasPrefix(wish) }.keys.sorted()
            guard let item = found.first ?? (begun.count == 1 ? begun[0] : nil) else { throw bad }
            return item
        case (.word, _): throw bad
        }
    }

    /// The nearest value that steps lead to.
    private func rounded(_ value: Int64) -> Int64 {
        guard step > 1, step <= UInt64(Int64.max), case .integer = kind else { return value }
        let step = Int64(step)
        let rounded = minimum + (value - minimum + step / 2) / step * step
        return rounded > maximum ? rounded - step : rounded
    }
}
