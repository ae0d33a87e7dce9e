// SPDX-License-Identifier: MIT
// The values of a camera's controls, so that it is set as before when it returns.

import Glibc
import LivecapCV4L2
import LivecapFrames
import LivecapThreads

/// Remembers how a camera is set. Most cameras forget it when they are unplugged.
final class ControlMemory: Sendable {
    private struct Setting {
        let id: CameraControl.ID
        let is64Bit: Bool
        /// Whether others depend on it: automatic modes are menus and switches.
        let isMode: Bool
        var value: Int64
        /// Whether the camera refused it when it came back. The driver then reports the camera's own value first.
        var isUnmet = false
    }

    private let settings = Guarded<[Setting]>([])
    /// What is set if possible when the camera is seen for the first time: its profile, and what was wished of another.
    private let preferences: [ControlSetting]
    /// What must be set then.
    private let demands: [ControlSetting]

    init(preferences: [ControlSetting] = [], demands: [ControlSetting] = []) {
        self.preferences = preferences
        self.demands = demands
    }

    /// Sets the camera as it was when it was last seen; or, if it is seen for the first time, as is wished, and notes
    /// the rest. Returns the preferences that the camera cannot meet.
    /// - Throws: `control` if a demand cannot be met.
    func meet(_ device: borrowing V4L2Device) throws(CameraError) -> [ControlSetting] {
        let known = settings.withLock { $0 }
        guard known.isEmpty else {
            let met = set(device, to: known)
            settings.withLock { settings in
                for index in settings.indices { settings[index].isUnmet = !met.contains(settings[index].id) }
            }
            return []
        }
        let leftOut = preferences.isEmpty ? [] : try device.applyPossible(preferences, of: device.controls())
        try device.apply(demands)
        learn(from: try device.controls())
        return leftOut
    }

    private func learn(from controls: [CameraControl]) {
        let learned = controls.compactMap { control -> Setting? in
            guard !control.isReadOnly, let value = control.value else { return nil }
            let isMode: Bool
            switch control.kind {
            case .menu, .boolean: isMode = true
            case .integer, .integer64: isMode = false
            case .button, .other: return nil
            }
            return Setting(id: control.id, is64Bit: control.kind == .integer64, isMode: isMode, value: value)
        }
        settings.withLock { $0 = learned }
    }

    /// Modes come first: they lock the values that depend on them. Locked values are refused, as they should be. A
    /// camera that does not answer is not asked again, because each question may take five seconds. Returns those that
    /// it accepted.
    private func set(_ device: borrowing V4L2Device, to settings: [Setting]) -> Set<CameraControl.ID> {
        var met: Set<CameraControl.ID> = []
        for isMode in [true, false] {
            for setting in settings where setting.isMode == isMode {
                let result = cv4l2_set_control(
                    device.descriptor, setting.id.rawValue, setting.is64Bit, setting.value)
                if result == -ETIMEDOUT || result == -ENODEV { return met }
                if result == 0 { met.insert(setting.id) }
            }
        }
        return met
    }

    /// Remembers a value that a program has set. The first report on a value that was refused is the camera's own, and
    /// the next return tries the user's again.
    func note(_ id: UInt32, _ value: Int64) {
        settings.withLock { settings in
            guard let index = settings.firstIndex(where: { $0.id.rawValue == id }) else { return }
            guard !settings[index].isUnmet else {
                settings[index].isUnmet = false
                return
            }
            settings[index].value = value
        }
    }

    /// What is set by hand.
    var manual: ManualSettings {
        settings.withLock { settings in
            ManualSettings { id in settings.first { $0.id == id }?.value }
        }
    }

    /// The controls whose changes the driver should report.
    var ids: [UInt32] { settings.withLock { $0.map(\.id.rawValue) } }
}
