// SPDX-License-Identifier: MIT
// From a user's request to the format that is actually set.

import Glibc
import LivecapCV4L2
import LivecapFrames

/// The outcome of a negotiation.
struct Negotiated {
    /// The format of the frames in the ring.
    let format: FrameFormat
    let rate: FrameRate?
    /// Converts the camera's frames to that format; nil if no conversion is needed.
    let converter: FrameConverter?
}

extension V4L2Device {
    /// Throws unless the device is a camera of a kind that livecap supports.
    func requireCamera(_ capabilities: Capabilities) throws(CameraError) {
        if capabilities.isMultiPlanar {
            throw .notSupported(
                path: path, detail: "it delivers each frame in several memory planes (multi-planar API)")
        }
        guard capabilities.isCamera else {
            throw .notACamera(path: path, detail: "\(capabilities.card) delivers no video here (its metadata node?)")
        }
    }

    /// Sets the format and rate nearest the request, and trusts only what the driver reports as set.
    func negotiate(_ request: FormatRequest) throws(CameraError) -> Negotiated {
        let offers = offers(at: request.size)
        guard let (offer, rate) = request.choose(from: offers) else {
            throw .unsupported(asked: request.description, offered: request.alternatives(among: offers))
        }
        if !offer.pixelFormat.isReadable, !offer.pixelFormat.isVideo, request.pixelFormat == nil {
            return try convert(offer, rate)
        }
        let granted = try setFormat(offer.pixelFormat, offer.size).fmt.pix
        try requireFrames(granted)
        guard granted.pixelformat == offer.pixelFormat.fourCC,
            granted.width == offer.size.width, granted.height == offer.size.height
        else {
            let given = "\(PixelFormat(fourCC: granted.pixelformat)) \(granted.width)x\(granted.height)"
            throw .unsupported(asked: request.description, offered: [given] + request.alternatives(among: offers))
        }
        return Negotiated(format: try FrameFormat(granted, path: path), rate: setRate(rate), converter: nil)
    }

    /// Requires whole frames. Single fields would need weaving, which livecap does not do.
    private func requireFrames(_ granted: v4l2_pix_format) throws(CameraError) {
        let field = v4l2_field(granted.field)
        if field != V4L2_FIELD_NONE && field != V4L2_FIELD_ANY {
            throw .notSupported(path: path, detail: "it delivers interlaced fields, not whole frames")
        }
    }

    private func convert(_ offer: FormatOffer, _ rate: FrameRate?) throws(CameraError) -> Negotiated {
        guard let converter = FrameConverter(self, size: offer.size) else {
            throw .unsupported(asked: "a format that livecap supports", offered: ["\(offer.pixelFormat) \(offer.size)"])
        }
        var source = converter.source
        try check(cv4l2_s_fmt(descriptor, &source), "VIDIOC_S_FMT")
        try requireFrames(source.fmt.pix)
        converter.source = source
        let format = try FrameFormat(converter.destination.fmt.pix, path: path)
        return Negotiated(format: format, rate: setRate(rate), converter: converter)
    }

    /// Subscribes to changes of a grabber's input: `VIDIOC_SUBSCRIBE_EVENT`. Devices without such events refuse.
    func watchInput() {
        // The input's number, of which most devices have only 0.
        subscribe(to: V4L2_EVENT_SOURCE_CHANGE, of: input?.index ?? 0)
    }

    /// Subscribes to changes of controls that others make.
    func watch(controls: [UInt32]) {
        // With their present values, so that no change before is missed.
        for id in controls { subscribe(to: V4L2_EVENT_CTRL, of: id, UInt32(V4L2_EVENT_SUB_FL_SEND_INITIAL)) }
    }

    /// Takes all events without looking at them.
    func discardEvents() {
        var event = v4l2_event()
        while cv4l2_dqevent(descriptor, &event) == 0 && event.pending > 0 {}
    }

    private func subscribe(to type: Int32, of id: UInt32, _ flags: UInt32 = 0) {
        var subscription = v4l2_event_subscription()
        (subscription.type, subscription.id, subscription.flags) = (UInt32(type), id, flags)
        _ = cv4l2_subscribe_event(descriptor, &subscription)
    }

    /// Takes all events, `VIDIOC_DQEVENT`, and notes values of controls. Returns whether the input has changed.
    func takeEvents(_ memory: ControlMemory) -> Bool {
        var hasChanged = false
        var event = v4l2_event()
        while cv4l2_dqevent(descriptor, &event) == 0 {
            switch Int32(event.type) {
            case V4L2_EVENT_SOURCE_CHANGE:
                if event.u.src_change.changes & UInt32(V4L2_EVENT_SRC_CH_RESOLUTION) != 0 { hasChanged = true }
            case V4L2_EVENT_CTRL where event.u.ctrl.changes & UInt32(V4L2_EVENT_CTRL_CH_VALUE) != 0:
                let is64Bit = event.u.ctrl.type == V4L2_CTRL_TYPE_INTEGER64.rawValue
                memory.note(event.id, is64Bit ? event.u.ctrl.value64 : Int64(event.u.ctrl.value))
            default: break
            }
            if event.pending == 0 { break }
        }
        return hasChanged
    }
}

extension FrameFormat {
    /// The format that a driver granted. Strides and sizes are used as they are, after checking that they make sense.
    init(_ granted: v4l2_pix_format, path: String) throws(CameraError) {
        let pixelFormat = PixelFormat(fourCC: granted.pixelformat)
        let size = FrameSize(width: Int(granted.width), height: Int(granted.height))
        let least = pixelFormat.packedBytesPerLine(width: size.width)
        self.init(
            pixelFormat: pixelFormat, size: size, bytesPerLine: least == 0 ? 0 : max(Int(granted.bytesperline), least),
            byteCount: Int(granted.sizeimage), colorimetry: Colorimetry(granted))
        if let problem { throw .notSupported(path: path, detail: "its driver contradicts itself: \(problem)") }
    }
}
