// SPDX-License-Identifier: MIT
// Finds a camera's controls by their names, and what locks them.

extension [CameraControl] {
    /// The control with a number; nil if there is none.
    subscript(id: CameraControl.ID) -> CameraControl? { first { $0.id == id } }

    /// The names that the camera's controls can be set by.
    var names: [String] {
        ControlRole.all.filter { role($0.name) != nil }.map(\.name.text)
            + filter { control in
                control.isSettable && !ControlRole.all.contains { [$0.id, $0.mode?.id].contains(control.id) }
            }.map(\.key)
    }

    /// The role that a name stands for with these controls; nil if it is a driver's name or a number, or if the camera
    /// has none of its controls. A driver may call another control by the same name.
    func role(_ name: ControlName) -> ControlRole? {
        guard let role = ControlRole.named(name) else { return nil }
        if self[role.id] != nil { return role }
        let hasMode = role.mode.map { self[$0.id] != nil } ?? false
        return hasMode && !contains { $0.key == name.text.asControlKey } ? role : nil
    }

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

    /// The controls as they are once all have their defaults.
    var afterReset: [CameraControl] {
        let values = map { control in control.isSettable ? control.with(control.defaultValue) : control }
        return values.map { control in
            guard let lock = values.possibleLock(of: control), let mode = lock.control.value else { return control }
            return control.with(control.value, isInactive: !lock.mode.manual.contains(mode))
        }
    }

    /// The controls that a name stands for: the value, and its mode if it has one.
    public func controls(of name: ControlName) -> [CameraControl] {
        guard let role = role(name) else {
            let found = named(name)
            return found.count == 1 ? found : []
        }
        return [self[role.id], role.mode.flatMap { self[$0.id] }].compactMap(\.self)
    }

    /// The control that `name` means.
    /// - Throws: `unknown`, `ambiguous`.
    public func control(named name: ControlName) throws(ControlError) -> CameraControl {
        if let role = role(name), let control = self[role.id] ?? role.mode.flatMap({ self[$0.id] }) { return control }
        let found = named(name)
        guard found.count <= 1 else {
            throw .ambiguous(name.text, numbers: found.map { "0x\(String($0.id.rawValue, radix: 16))" })
        }
        guard let control = found.first else { throw .unknown(name.text, available: names) }
        return control
    }

    /// The controls that a number or a driver's name stands for. A number stands for at most one.
    private func named(_ name: ControlName) -> [CameraControl] {
        let number = Int64(name.text) ?? name.text.lowercased().hexadecimal
        if let number, let control = first(where: { Int64($0.id.rawValue) == number }) { return [control] }
        let key = name.text.asControlKey
        return filter { $0.key == key }
    }

    /// How `name` is set: `automatic`, or its value as `ControlSetting` takes it. Nil if it cannot be read.
    /// - Throws: `unknown`, `ambiguous`.
    public func value(of name: ControlName) throws(ControlError) -> ControlValue? {
        if let mode = role(name)?.mode, let value = self[mode.id]?.value,
            mode.automatic.contains(value)
        {
            return .automatic
        }
        return try control(named: name).present
    }
}
