// SPDX-License-Identifier: MIT
// The formats a camera offers, and those it grants.

import Glibc
import LivecapCV4L2
import LivecapFrames

/// One of a camera's offers: a pixel format at a size, with its frame rates.
public struct FormatOffer: Hashable, Codable, Sendable {
    /// How bytes map to pixels.
    public let pixelFormat: PixelFormat
    /// Width and height in pixels.
    public let size: FrameSize
    /// Frame rates, highest first; empty if the driver does not report them.
    public let rates: [FrameRate]
    /// Whether a grabber would scale its picture to this size, instead of delivering its input's own size.
    public let isScaled: Bool

    /// Creates an offer as listed by a driver.
    public init(pixelFormat: PixelFormat, size: FrameSize, rates: [FrameRate], isScaled: Bool = false) {
        self.pixelFormat = pixelFormat
        self.size = size
        self.isScaled = isScaled
        self.rates = rates.sorted(by: >)
    }
}

extension FormatOffer: CustomStringConvertible {
    /// Such as `YUYV 1280x720 at 30, 15 fps`.
    public var description: String {
        let rates = rates.isEmpty ? "" : " at " + rates.map(\.description).joined(separator: ", ") + " fps"
        return "\(pixelFormat) \(size)\(rates)"
    }
}

/// A limit, because some drivers' lists never end.
private let longestList: UInt32 = 512

/// Sizes tried, besides the limits themselves, if a driver accepts any size within limits.
private let usualSizes = [
    FrameSize(width: 3840, height: 2160), FrameSize(width: 2560, height: 1440), FrameSize(width: 1920, height: 1080),
    FrameSize(width: 1280, height: 960), FrameSize(width: 1280, height: 720), FrameSize(width: 800, height: 600),
    FrameSize(width: 640, height: 480), FrameSize(width: 640, height: 360), FrameSize(width: 320, height: 240),
]

extension V4L2Device {
    /// All offers of the camera: `VIDIOC_ENUM_FMT`, `VIDIOC_ENUM_FRAMESIZES`, `VIDIOC_ENUM_FRAMEINTERVALS`. If sizes
    /// are a range, `wanted` is included when it lies within.
    func offers(at wanted: FrameSize? = nil) -> [FormatOffer] {
        pixelFormats().flatMap { format in
            sizes(of: format, wanted).map { size, isScaled in
                FormatOffer(
                    pixelFormat: format, size: size, rates: rates(of: format, at: size), isScaled: isScaled)
            }
        }
    }

    /// The camera's own formats: `VIDIOC_ENUM_FMT`. Formats that the driver or a library would only emulate are
    /// omitted.
    func pixelFormats() -> [PixelFormat] {
        var formats: [PixelFormat] = []
        for index in 0..<longestList {
            var raw = v4l2_fmtdesc()
            raw.index = index
            raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            guard cv4l2_enum_fmt(descriptor, &raw) == 0 else { break }
            let format = PixelFormat(fourCC: raw.pixelformat)
            if raw.flags & UInt32(V4L2_FMT_FLAG_EMULATED) == 0 && !formats.contains(format) { formats.append(format) }
        }
        return formats
    }

    /// The sizes of a format: `VIDIOC_ENUM_FRAMESIZES`, or the current size if the driver does not list any. For a
    /// range, the current size, common sizes and the largest.
    private func sizes(of format: PixelFormat, _ wanted: FrameSize?) -> [(size: FrameSize, isScaled: Bool)] {
        let present = (try? currentFormat()).map { FrameSize(width: Int($0.width), height: Int($0.height)) }
        var isRange = false
        let isGrabber = isGrabber
        var sizes: [FrameSize] = []
        for index in 0..<longestList {
            var raw = v4l2_frmsizeenum()
            raw.index = index
            raw.pixel_format = format.fourCC
            guard cv4l2_enum_framesizes(descriptor, &raw) == 0 else { break }
            if raw.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                sizes.append(FrameSize(width: Int(raw.discrete.width), height: Int(raw.discrete.height)))
            } else {
                let range = raw.stepwise
                isRange = true
                sizes += ([wanted].compactMap(\.self) + usualSizes).filter { range.contains($0) }
                sizes.append(FrameSize(width: Int(range.max_width), height: Int(range.max_height)))
                break
            }
        }
        if let present, isRange || sizes.isEmpty { sizes.insert(present, at: 0) }
        var seen = Set<FrameSize>()
        return sizes.filter { $0.width > 0 && $0.height > 0 && seen.insert($0).inserted }
            .map { ($0, isRange && isGrabber && $0 != present) }
    }

    /// Whether the input determines the picture's size, through timings or a television standard.
    private var isGrabber: Bool {
        (input?.capabilities ?? 0) & UInt32(V4L2_IN_CAP_DV_TIMINGS | V4L2_IN_CAP_STD) != 0
    }

    /// The rates of a format at a size: `VIDIOC_ENUM_FRAMEINTERVALS`.
    private func rates(of format: PixelFormat, at size: FrameSize) -> [FrameRate] {
        var rates: [FrameRate] = []
        for index in 0..<longestList {
            var raw = v4l2_frmivalenum()
            raw.index = index
            raw.pixel_format = format.fourCC
            raw.width = UInt32(size.width)
            raw.height = UInt32(size.height)
            guard cv4l2_enum_frameintervals(descriptor, &raw) == 0 else { break }
            let interval = raw.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue ? raw.discrete : raw.stepwise.min
            if let rate = FrameRate(interval: interval), !rates.contains(rate) { rates.append(rate) }
            if raw.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue { break }
        }
        return rates
    }

    /// The current format: `VIDIOC_G_FMT`.
    func currentFormat() throws(CameraError) -> v4l2_pix_format {
        var raw = v4l2_format()
        raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        try check(cv4l2_g_fmt(descriptor, &raw), "VIDIOC_G_FMT")
        return raw.fmt.pix
    }

    /// Requests a format and returns the one granted, which is the one that counts: `VIDIOC_S_FMT`.
    func setFormat(_ format: PixelFormat, _ size: FrameSize) throws(CameraError) -> v4l2_format {
        var raw = v4l2_format()
        raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        raw.fmt.pix.pixelformat = format.fourCC
        raw.fmt.pix.width = UInt32(size.width)
        raw.fmt.pix.height = UInt32(size.height)
        raw.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        try check(cv4l2_s_fmt(descriptor, &raw), "VIDIOC_S_FMT")
        return raw
    }

    /// Requests a rate and returns the one granted; nil if the driver does not report it: `VIDIOC_S_PARM`.
    func setRate(_ rate: FrameRate?) -> FrameRate? {
        var raw = v4l2_streamparm()
        raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard cv4l2_g_parm(descriptor, &raw) == 0 else { return nil }
        if let rate, raw.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 {
            var asked = v4l2_streamparm()
            asked.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            asked.parm.capture.timeperframe = v4l2_fract(numerator: rate.denominator, denominator: rate.numerator)
            if cv4l2_s_parm(descriptor, &asked) == 0 { raw = asked }
        }
        return FrameRate(interval: raw.parm.capture.timeperframe)
    }
}

extension v4l2_frmsize_stepwise {
    /// Whether the driver accepts this size.
    fileprivate func contains(_ size: FrameSize) -> Bool {
        fits(size.width, least: min_width, most: max_width, step: step_width)
            && fits(size.height, least: min_height, most: max_height, step: step_height)
    }

    private func fits(_ value: Int, least: UInt32, most: UInt32, step: UInt32) -> Bool {
        value >= least && value <= most && (value - Int(least)) % Int(max(step, 1)) == 0
    }
}

extension FrameRate {
    /// The rate of frames that are `interval` seconds apart; nil if the driver's fraction is invalid.
    init?(interval: v4l2_fract) {
        guard interval.numerator > 0, interval.denominator > 0 else { return nil }
        self.init(interval.denominator, per: interval.numerator)
    }
}
