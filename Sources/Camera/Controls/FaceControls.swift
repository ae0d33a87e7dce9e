// SPDX-License-Identifier: MIT
// What is read and set of a camera whose exposure and focus follow faces.

import LivecapCV4L2
import LivecapFrames

/// A camera whose exposure and focus can follow faces. All calls block.
package protocol FaceControls: Sendable {
    /// All controls as they are now.
    func controls() throws(CameraError) -> [CameraControl]
    /// The value of one control; nil if it cannot be read.
    func value(of control: CameraControl.ID) -> Int64?
    /// Sets one control of 32 bits.
    func set(_ control: CameraControl.ID, to value: Int64) throws(CameraError)
    /// The region of interest; nil if the driver or the camera has none.
    func region() throws(CameraError) -> RegionOfInterest?
    /// Changes where automatic functions look, and which of them do.
    func set(_ region: RegionOfInterest) throws(CameraError)
}

/// The controls by which an exposure is taken out of the camera's hands.
package struct ExposureControls: Hashable, Sendable {
    /// The switch between automatic and manual.
    package let mode: CameraControl.ID
    /// Its present value, with which the camera decides.
    package let automatic: Int64
    /// Its value with which the exposure can be set.
    package let manual: Int64
    /// The exposure.
    package let exposure: CameraControl
    /// The gain; nil if the camera has none that can be set.
    package let gain: CameraControl?

    /// The unit of an exposure's value.
    package static var exposureUnit: Duration { ControlRole.exposureUnit }

    /// Nil if the exposure is set by hand, or cannot be set at all.
    package init?(_ controls: [CameraControl]) {
        guard let exposure = controls[ControlRole.exposure.id], exposure.isSettable, exposure.kind == .integer,
            let value = exposure.value, value > 0,
            let (lock, roles) = controls.possibleLock(of: exposure), let now = lock.value,
            roles.automatic.contains(now),
            let manual = roles.manual.first(where: lock.accepts)
        else { return nil }
        self.mode = lock.id
        self.automatic = now
        self.manual = manual
        self.exposure = exposure
        gain = controls[ControlRole.gain.id].flatMap { gain in
            // One that the camera turns by itself stays its own.
            let isAutomatic = controls.possibleLock(of: gain).map { !$0.mode.manual.contains($0.control.value ?? 0) }
            return gain.isSettable && gain.kind == .integer && gain.value != nil && isAutomatic != true ? gain : nil
        }
    }
}

extension [CameraControl] {
    /// Whether the camera exposes by itself, as one without a switch for it does.
    package var exposureIsAutomatic: Bool {
        guard let mode = ControlRole.exposure.mode, let value = self[mode.id]?.value else { return true }
        return mode.automatic.contains(value)
    }

    /// Whether the camera focuses by itself.
    package var focusIsAutomatic: Bool {
        guard let mode = ControlRole.focus.mode, let value = self[mode.id]?.value else { return false }
        return mode.automatic.contains(value)
    }
}

extension ControlNode: FaceControls {
    package func value(of control: CameraControl.ID) -> Int64? { device.value(of: control) }

    package func set(_ control: CameraControl.ID, to value: Int64) throws(CameraError) {
        try device.set(control.rawValue, to: value)
    }

    package func region() throws(CameraError) -> RegionOfInterest? { try device.region() }

    package func set(_ region: RegionOfInterest) throws(CameraError) { try device.set(region) }
}

extension V4L2Device {
    /// Where automatic functions look: `VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_G_EXT_CTRLS`. Nil if there is no such thing.
    func region() throws(CameraError) -> RegionOfInterest? {
        var functions = v4l2_query_ext_ctrl()
        functions.id = UInt32(CV4L2_CID_UVC_REGION_OF_INTEREST_AUTO)
        guard cv4l2_query_ext_ctrl(descriptor, &functions) == 0, let area = rectangle(UInt32(V4L2_CTRL_WHICH_CUR_VAL)),
            let whole = rectangle(UInt32(CV4L2_WHICH_MAX)), whole.width > 0, whole.height > 0,
            let smallest = rectangle(UInt32(CV4L2_WHICH_MIN)), let now = value(of: .init(rawValue: functions.id))
        else { return nil }
        return RegionOfInterest(
            area: area, functions: .init(rawValue: UInt32(truncatingIfNeeded: now)),
            possible: .init(rawValue: UInt32(truncatingIfNeeded: functions.maximum)), whole: whole, smallest: smallest)
    }

    /// Changes where automatic functions look: `VIDIOC_S_EXT_CTRLS`.
    func set(_ region: RegionOfInterest) throws(CameraError) {
        let area = v4l2_rect(
            left: Int32(clamping: region.area.left), top: Int32(clamping: region.area.top),
            width: UInt32(clamping: region.area.width), height: UInt32(clamping: region.area.height))
        let id = UInt32(CV4L2_CID_UVC_REGION_OF_INTEREST_RECT)
        try check(cv4l2_set_rectangle(descriptor, id, area), "VIDIOC_S_EXT_CTRLS")
        try set(UInt32(CV4L2_CID_UVC_REGION_OF_INTEREST_AUTO), to: Int64(region.functions.rawValue))
    }

    private func rectangle(_ which: UInt32) -> RegionOfInterest.Area? {
        var raw = v4l2_rect()
        let id = UInt32(CV4L2_CID_UVC_REGION_OF_INTEREST_RECT)
        guard cv4l2_get_rectangle(descriptor, which, id, &raw) == 0 else { return nil }
        return .init(left: Int(raw.left), top: Int(raw.top), width: Int(raw.width), height: Int(raw.height))
    }
}
