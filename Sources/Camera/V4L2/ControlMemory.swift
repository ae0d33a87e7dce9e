// SPDX-License-Identifier: MIT
// The values of a camera's controls, so that it is set as before when it returns.

import Glibc
import LivecapThreads

/// Remembers how a camera is set. Most cameras forget it when they are unplugged.
final class ControlMemory: Sendable {
    private struct Setting {
        let control: CameraControl
        /// Whether others depend on it: automatic modes are menus and switches.
        let isMode: Bool
        var value: Int64
        /// Whether the camera refused it when it came back. The driver then reports the camera's own value first.
        var isUnmet = false

        var id: CameraControl.ID { control.id }
    }

    /// What a camera was to be set to, and is not.
    struct Shortfall: Hashable, Sendable {
        /// What it does not accept of its profile.
        var refused: [ControlSetting] = []
        /// What it failed at, although it was asked several times.
        var failed: [ControlSetting] = []
    }

    private let settings = Guarded<[Setting]>([])
    /// What is set if possible when the camera is seen for the first time: its profile, and what was wished of another.
    private let preferences: [ControlSetting]
    /// What must be set then.
    private let demands: [ControlSetting]
    private let pace: ControlPace

    init(preferences: [ControlSetting] = [], demands: [ControlSetting] = [], pace: ControlPace = .opening) {
        self.preferences = preferences
        self.demands = demands
        self.pace = pace
    }

    /// Sets the camera as it was when it was last seen; or, if it is seen for the first time, as is wished, and notes
    /// the rest. One that was just plugged in and fails is asked again, a few times.
    /// - Throws: `control` if a demand cannot be met.
    func meet(_ device: borrowing V4L2Device) throws(CameraError) -> Shortfall {
        let known = settings.withLock { $0 }
        guard known.isEmpty else { return restore(known, of: device) }
        var shortfall = Shortfall()
        var controls = try pace.ask { () throws(CameraError) in try device.controls() }
        if !preferences.isEmpty {
            let plan = ControlPlan(possible: preferences, for: controls)
            let rounds = pace.run(plan.changes) { device.result(of: $0) }
            if rounds.isGone { throw .disconnected(path: device.path) }
            shortfall.refused = plan.leftOut + rounds.refused.map(\.change.setting)
            shortfall.failed = rounds.open.map(\.change.setting)
            controls = try pace.ask { () throws(CameraError) in try device.controls() }
        }
        if !demands.isEmpty {
            let plan: ControlPlan
            do throws(ControlError) { plan = try ControlPlan(demands, for: controls) } catch { throw .control(error) }
            let rounds = pace.run(plan.changes) { device.result(of: $0) }
            for failure in rounds.failures { try device.check(-failure.errno, failure.change) }
            controls = try pace.ask { () throws(CameraError) in try device.controls() }
        }
        learn(from: controls)
        return shortfall
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
            return Setting(control: control, isMode: isMode, value: value)
        }
        settings.withLock { $0 = learned }
    }

    /// Modes come first: they lock the values that depend on them. Locked values are refused, as they should be.
    private func restore(_ known: [Setting], of device: borrowing V4L2Device) -> Shortfall {
        let changes = (known.filter(\.isMode) + known.filter { !$0.isMode }).map { setting in
            ControlChange(control: setting.control, value: setting.value)
        }
        let locked = Set(known.map(\.id).filter { id in Self.isLocked(id, by: known) })
        let rounds = pace.run(changes) { change in
            let result = device.result(of: change)
            // Whatever the camera answers to that, it is not asked again.
            return result < 0 && locked.contains(change.control.id) ? -EACCES : result
        }
        let unmet = Set(rounds.failures.map(\.change.control.id))
        settings.withLock { settings in
            for index in settings.indices { settings[index].isUnmet = unmet.contains(settings[index].id) }
        }
        let failed = rounds.isGone ? [] : rounds.open.filter { !locked.contains($0.change.control.id) }
        return Shortfall(failed: failed.map(\.change.setting))
    }

    /// Whether an automatic mode decides on a value.
    private static func isLocked(_ id: CameraControl.ID, by settings: [Setting]) -> Bool {
        guard let mode = ControlRole.all.first(where: { $0.id == id })?.mode else { return false }
        return settings.contains { $0.id == mode.id && mode.automatic.contains($0.value) }
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
