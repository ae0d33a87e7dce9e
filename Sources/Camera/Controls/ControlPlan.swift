// SPDX-License-Identifier: MIT
// Works out which values of which controls a list of settings asks for, without a camera.

import LivecapFrames

/// One value for one control.
struct ControlChange: Hashable, Sendable {
    let control: CameraControl
    let value: Int64

    /// What would ask for it.
    var setting: ControlSetting { ControlSetting(ControlName(control.key), control.described(value)) }
}

extension [CameraControl] {
    /// Why a camera with these controls does not accept settings; nil if it does.
    public func refusal(of settings: [ControlSetting]) -> ControlError? {
        do throws(ControlError) {
            _ = try ControlPlan(settings, for: self)
            return nil
        } catch { return error }
    }
}

/// Turns settings into changes of a camera's controls.
struct ControlPlan {
    private let controls: [CameraControl]
    /// In the order in which they are to be made: modes first, because they unlock the values that depend on them.
    private(set) var changes: [ControlChange] = []
    /// The settings that are impossible, if that is allowed.
    private(set) var leftOut: [ControlSetting] = []

    /// Plans what is possible of some wishes, and leaves out the rest.
    init(possible wishes: [ControlSetting], for controls: [CameraControl]) {
        var accepted: [ControlSetting] = []
        var leftOut: [ControlSetting] = []
        for wish in wishes {
            let isPossible = (try? ControlPlan(accepted + [wish], for: controls)) != nil
            if isPossible { accepted.append(wish) } else { leftOut.append(wish) }
        }
        self = (try? ControlPlan(accepted, for: controls)) ?? ControlPlan(controls)
        self.leftOut = leftOut
    }

    private init(_ controls: [CameraControl]) { self.controls = controls }

    /// Plans for a camera with `controls`. Of several settings of one control, the last one wins.
    init(_ settings: [ControlSetting], for controls: [CameraControl]) throws(ControlError) {
        self.controls = controls
        for setting in settings { try add(setting) }
        let modes = changes.filter { isMode($0.control) }
        changes = modes + changes.filter { !isMode($0.control) }
        for change in changes { try requireUnlocked(change.control) }
    }

    private mutating func add(_ setting: ControlSetting) throws(ControlError) {
        guard let role = controls.role(setting.name) else {
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
            changes.removeAll { $0.control.id == role.id }
            if let control = controls[role.id], !isAutomatic { set(control, control.defaultValue) }
        case .number, .duration, .word:
            guard let control = controls[role.id] else {
                guard let mode else { throw .unknown(setting.name.text, available: controls.names) }
                return try change(mode, to: setting.value)
            }
            let value = try control.value(for: setting)
            if let mode, let manual = role.mode?.manual.first(where: mode.accepts),
                self.value(of: mode).map({ role.mode?.manual.contains($0) == true }) != true
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

    /// A control whose mode is automatic cannot be set. Of locks between other controls nothing is known, so the camera
    /// decides.
    private func requireUnlocked(_ control: CameraControl) throws(ControlError) {
        guard let lock = controls.possibleLock(of: control), value(of: lock.control) != nil,
            control.isInactive || changes.contains(where: { $0.control.id == lock.control.id })
        else { return }
        let mode = value(of: lock.control)
        guard mode.map({ lock.mode.manual.contains($0) }) != true else { return }
        let unlock = lock.mode.manual.first(where: lock.control.accepts).map { "\(lock.control.key)=\($0)" }
        throw .locked(control.key, by: lock.control.key, unlock: unlock)
    }
}
