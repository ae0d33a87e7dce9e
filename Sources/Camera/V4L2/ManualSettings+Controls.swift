// SPDX-License-Identifier: MIT
// Tells from the values of controls what is set by hand.

import LivecapFrames

extension ManualSettings {
    /// What is set by hand on a camera with these values of controls; nil stands for a control that it does not have.
    init(_ value: (CameraControl.ID) -> Int64?) {
        func byHand(_ role: ControlRole, under other: ControlRole? = nil) -> Int64? {
            // Without a switch of its own, a value is the user's unless a neighbour's automatic changes it, too.
            let mode =
                role.mode.flatMap { mode in value(mode.id).map { (mode, $0) } }
                ?? other?.mode.flatMap { mode in value(mode.id).map { (mode, $0) } }
            guard let (mode, chosen) = mode else { return value(role.id) }
            return mode.manual.contains(chosen) ? value(role.id) : nil
        }
        self.init(
            exposure: byHand(.exposure).flatMap { units in
                // A stream's exposure cannot exceed a minute.
                (1...600_000).contains(units) ? ControlRole.exposureUnit * units : nil
            },
            gain: byHand(.gain, under: .exposure).flatMap(Int32.init(exactly:)),
            whiteBalance: byHand(.whiteBalance).flatMap(Int32.init(exactly:)),
            focus: byHand(.focus).flatMap(Int32.init(exactly:)))
    }
}
