// SPDX-License-Identifier: MIT
// Exposures around the one that a camera has, and what puts it back.

import Glibc
import LivecapFrames

/// The exposures of a bracket, by what the camera's controls say now.
package struct ExposureSteps: Hashable, Sendable {
    /// The exposure that the steps are relative to.
    package let base: Duration
    /// What is to be set for each step, as near to it as the camera's range allows.
    package let exposures: [Duration]
    /// What makes the controls of exposure what they are now.
    package let restoring: [ControlSetting]

    /// Plans steps in EV: each 1 doubles the light, each -1 halves it.
    ///
    /// While a camera exposes by itself, the base is what it says of its exposure. Some cameras do not update that.
    /// - Throws: `unknown` if the exposure cannot be set.
    package init(_ steps: [Double], from controls: [CameraControl]) throws(ControlError) {
        let control = try controls.control(named: .exposure)
        guard let value = control.value, control.isSettable, case .duration(let base) = control.described(value) else {
            throw .unknown(ControlName.exposure.text, available: controls.names)
        }
        self.base = base
        exposures = steps.map { step in
            let wanted = Double(value) * exp2(step), width = Double(max(1, control.step))
            let whole = Double(control.minimum) + ((wanted - Double(control.minimum)) / width).rounded() * width
            // The range may end between two steps.
            let last = control.maximum - (control.maximum - control.minimum) % Int64(max(1, control.step))
            let units = whole >= Double(last) ? last : max(control.minimum, Int64(whole))
            guard case .duration(let exposure) = control.described(units) else { return base }
            return exposure
        }
        var restoring: [ControlSetting] = []
        if let lock = controls.possibleLock(of: control), let mode = lock.control.value {
            if lock.mode.manual.contains(mode) { restoring.append(ControlSetting(.exposure, .duration(base))) }
            restoring.append(ControlSetting(ControlName(lock.control.key), .number(mode)))
        } else {
            restoring.append(ControlSetting(.exposure, .duration(base)))
        }
        self.restoring = restoring
    }
}
