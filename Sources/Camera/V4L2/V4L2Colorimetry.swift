// SPDX-License-Identifier: MIT
// The colorimetry a driver declares, completed with V4L2's defaults where it declares only part of it.

import LivecapCV4L2
import LivecapFrames

extension Colorimetry {
    /// The colorimetry of a granted format. Defaults are those of V4L2's V4L2_MAP_*_DEFAULT macros, except that a
    /// driver that declares nothing at all is assumed to be a typical webcam.
    init(_ granted: v4l2_pix_format) {
        let format = PixelFormat(fourCC: granted.pixelformat)
        let colorspace = v4l2_colorspace(rawValue: granted.colorspace)
        let usual = format.isJPEG ? Colorimetry.jpeg : .webcam
        let isRGB = format.samples?.model == .rgb
        // A grey sensor's levels are its measurements. Drivers that declare a range for them mean the range of their
        // colour formats.
        if format.samples?.model == .grey {
            self = .grey
            return
        }
        self.init(
            range: Range(declared: granted.quantization)
                ?? (isRGB || colorspace == V4L2_COLORSPACE_JPEG || format.isJPEG ? .full : .limited),
            matrix: isRGB ? .identity : Matrix(declared: granted.ycbcr_enc) ?? Matrix(of: colorspace) ?? usual.matrix,
            transfer: Transfer(declared: granted.xfer_func) ?? Transfer(of: colorspace) ?? usual.transfer,
            primaries: Primaries(of: colorspace) ?? usual.primaries)
    }
}

extension Colorimetry.Range {
    /// The declared quantisation; nil for "default".
    fileprivate init?(declared: UInt32) {
        switch v4l2_quantization(declared) {
        case V4L2_QUANTIZATION_FULL_RANGE: self = .full
        case V4L2_QUANTIZATION_LIM_RANGE: self = .limited
        default: return nil
        }
    }
}

extension Colorimetry.Matrix {
    /// The declared encoding; nil for "default".
    fileprivate init?(declared: UInt32) {
        switch v4l2_ycbcr_encoding(declared) {
        case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_SYCC: self = .bt601
        case V4L2_YCBCR_ENC_709: self = .bt709
        case V4L2_YCBCR_ENC_XV601: self = .xv601
        case V4L2_YCBCR_ENC_XV709: self = .xv709
        case V4L2_YCBCR_ENC_BT2020: self = .bt2020
        case V4L2_YCBCR_ENC_BT2020_CONST_LUM: self = .bt2020ConstantLuminance
        case V4L2_YCBCR_ENC_SMPTE240M: self = .smpte240m
        default: return nil
        }
    }

    /// The encoding a colour space implies.
    fileprivate init?(of colorspace: v4l2_colorspace) {
        switch colorspace {
        case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_DCI_P3: self = .bt709
        case V4L2_COLORSPACE_BT2020: self = .bt2020
        case V4L2_COLORSPACE_SMPTE240M: self = .smpte240m
        case V4L2_COLORSPACE_DEFAULT: return nil
        default: self = .bt601
        }
    }
}

extension Colorimetry.Transfer {
    /// The declared transfer function; nil for "default" and for unknown ones.
    fileprivate init?(declared: UInt32) { self.init(rawValue: UInt8(truncatingIfNeeded: declared)) }

    /// The transfer function a colour space implies.
    fileprivate init?(of colorspace: v4l2_colorspace) {
        switch colorspace {
        case V4L2_COLORSPACE_OPRGB: self = .opRGB
        case V4L2_COLORSPACE_SMPTE240M: self = .smpte240m
        case V4L2_COLORSPACE_DCI_P3: self = .dciP3
        case V4L2_COLORSPACE_RAW: self = .linear
        case V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: self = .sRGB
        case V4L2_COLORSPACE_DEFAULT: return nil
        default: self = .bt709
        }
    }
}

extension Colorimetry.Primaries {
    /// The primaries of a colour space.
    fileprivate init?(of colorspace: v4l2_colorspace) {
        switch colorspace {
        case V4L2_COLORSPACE_SMPTE170M: self = .smpte170m
        case V4L2_COLORSPACE_470_SYSTEM_M: self = .ebu470M
        case V4L2_COLORSPACE_470_SYSTEM_BG: self = .ebu470BG
        case V4L2_COLORSPACE_SMPTE240M: self = .smpte240m
        case V4L2_COLORSPACE_OPRGB: self = .opRGB
        case V4L2_COLORSPACE_BT2020: self = .bt2020
        case V4L2_COLORSPACE_DCI_P3: self = .dciP3
        case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_JPEG: self = .bt709
        default: return nil
        }
    }
}
