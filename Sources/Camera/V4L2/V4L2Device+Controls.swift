// SPDX-License-Identifier: MIT
// Lists, reads and sets a camera's controls.

import Glibc
import LivecapCV4L2
import LivecapFrames

extension V4L2Device {
    /// All controls with their current values: `VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_G_EXT_CTRLS`, `VIDIOC_QUERYMENU`.
    /// - Throws: `disconnected`, or what the driver answers while it lists them.
    func controls() throws(CameraError) -> [CameraControl] {
        var controls: [CameraControl] = []
        var next: UInt32 = 0
        let skip = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        // Bounded, in case a driver lists controls without end.
        while controls.count < 512 {
            var raw = v4l2_query_ext_ctrl()
            raw.id = next | skip
            let result = cv4l2_query_ext_ctrl(descriptor, &raw)
            // The end of the list, or a device without controls.
            if result == -EINVAL || result == -ENOTTY { break }
            try check(result, "VIDIOC_QUERY_EXT_CTRL")
            guard raw.id > next else { break }
            next = raw.id
            let isDisabled = raw.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) != 0
            if isDisabled || raw.type == V4L2_CTRL_TYPE_CTRL_CLASS.rawValue { continue }
            controls.append(control(raw))
        }
        return controls
    }

    private func control(_ raw: v4l2_query_ext_ctrl) -> CameraControl {
        let kind: CameraControl.Kind =
            switch v4l2_ctrl_type(raw.type) {
            // Several numbers in one control.
            case _ where raw.flags & UInt32(V4L2_CTRL_FLAG_HAS_PAYLOAD) != 0: .other
            case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BITMASK: .integer
            case V4L2_CTRL_TYPE_INTEGER64: .integer64
            case V4L2_CTRL_TYPE_BOOLEAN: .boolean
            case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: .menu(menu(raw))
            case V4L2_CTRL_TYPE_BUTTON: .button
            default: .other
            }
        var value: Int64 = 0
        let isReadable =
            kind != .button && kind != .other && raw.flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) == 0
            && cv4l2_get_control(descriptor, raw.id, kind == .integer64, &value) == 0
        return CameraControl(
            id: .init(rawValue: raw.id), name: string(raw.name), kind: kind, minimum: raw.minimum, maximum: raw.maximum,
            step: raw.step,
            defaultValue: raw.default_value, value: isReadable ? value : nil,
            isInactive: raw.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE | V4L2_CTRL_FLAG_GRABBED) != 0,
            isReadOnly: raw.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0)
    }

    /// The value of a control of 32 bits; nil if the camera has none: `VIDIOC_G_EXT_CTRLS`.
    func value(of id: CameraControl.ID) -> Int64? {
        var value: Int64 = 0
        return cv4l2_get_control(descriptor, id.rawValue, false, &value) == 0 ? value : nil
    }

    private func menu(_ raw: v4l2_query_ext_ctrl) -> [Int64: String] {
        var items: [Int64: String] = [:]
        guard raw.minimum >= 0, raw.maximum >= raw.minimum, raw.maximum - raw.minimum < 256 else { return items }
        for index in raw.minimum...raw.maximum {
            var item = v4l2_querymenu()
            item.id = raw.id
            item.index = UInt32(index)
            guard cv4l2_querymenu(descriptor, &item) == 0 else { continue }
            items[index] = raw.type == V4L2_CTRL_TYPE_MENU.rawValue ? string(item.name) : "\(item.value)"
        }
        return items
    }

    /// Sets a control: `VIDIOC_S_EXT_CTRLS`.
    func set(_ id: UInt32, to value: Int64, is64Bit: Bool = false) throws(CameraError) {
        try check(cv4l2_set_control(descriptor, id, is64Bit, value), "VIDIOC_S_EXT_CTRLS")
    }

    /// Makes settings, all of which are checked before the first is made.
    func apply(_ settings: [ControlSetting]) throws(CameraError) {
        guard !settings.isEmpty else { return }
        let controls = try controls()
        let plan: ControlPlan
        do throws(ControlError) { plan = try ControlPlan(settings, for: controls) } catch { throw .control(error) }
        for change in plan.changes { try make(change) }
    }

    /// Makes a change: 0, or a negative errno.
    func result(of change: ControlChange) -> Int32 {
        cv4l2_set_control(descriptor, change.control.id.rawValue, change.control.kind == .integer64, change.value)
    }

    private func make(_ change: ControlChange) throws(CameraError) { try check(result(of: change), change) }

    /// Throws what a change that failed means.
    func check(_ result: Int32, _ change: ControlChange) throws(CameraError) {
        switch -result {
        case 0: return
        // Of the camera's refusals these are common; all others are the driver's.
        case EACCES, EINVAL, ERANGE, EIO, EBUSY, EILSEQ, EREMOTE, EPIPE:
            throw .control(
                .refused(
                    change.control.key, value: "\(change.control.described(change.value))",
                    reason: String(cString: strerror(-result))))
        default: try check(result, "VIDIOC_S_EXT_CTRLS")
        }
    }

    /// Sets `controls` to their defaults. What the camera refuses stays as it is.
    func reset(_ controls: [CameraControl]) throws(CameraError) {
        let settable = controls.filter { $0.isSettable && $0.kind != .button }
        let modes = settable.compactMap { control in
            ControlRole.all.first { $0.mode?.id == control.id }?.mode.map { (control: control, mode: $0) }
        }
        let values = settable.filter { control in !modes.contains { $0.control.id == control.id } }
        // Automatic modes lock values.
        for (control, mode) in modes {
            if let manual = mode.manual.first(where: control.accepts) { try force(control, to: manual) }
        }
        for control in values + modes.map(\.control) { try force(control, to: control.defaultValue) }
    }

    private func force(_ control: CameraControl, to value: Int64) throws(CameraError) {
        let result = cv4l2_set_control(descriptor, control.id.rawValue, control.kind == .integer64, value)
        if result == -ENODEV || result == -ETIMEDOUT { try check(result, "VIDIOC_S_EXT_CTRLS") }
    }

    /// Asks the camera with an identity for a picture that needs no other: `VIDIOC_S_EXT_CTRLS`. Blocks. Opens the node
    /// anew, because the one that streams is used by another thread, and may be closed by it.
    static func askForKeyFrame(of identity: String) -> KeyFrameRequests.Answer {
        guard let path = CameraDirectory().path(of: identity),
            let device = try? V4L2Device(path: path, waitsForPermission: false)
        else { return .refused }
        // Of a button, any value is the same.
        return switch cv4l2_set_control(device.descriptor, CameraControl.ID.keyFrame.rawValue, false, 1) {
        case 0: .taken
        case -EINVAL, -ENOTTY: .unknown
        default: .refused
        }
    }
}
