// SPDX-License-Identifier: MIT
// Sizes by the names people know, and which of them a camera delivers.

import LivecapFrames

/// A size by its name.
public enum CapturePreset: String, Hashable, Codable, Sendable, CaseIterable {
    /// 640x480.
    case vga
    /// 1280x720.
    case hd720
    /// 1920x1080.
    case hd1080
    /// 3840x2160.
    case uhd4k
    /// The largest size that the camera delivers fluently.
    case photo

    /// Width and height; nil for `photo`, which depends on the camera.
    public var size: FrameSize? {
        switch self {
        case .vga: FrameSize(width: 640, height: 480)
        case .hd720: FrameSize(width: 1280, height: 720)
        case .hd1080: FrameSize(width: 1920, height: 1080)
        case .uhd4k: FrameSize(width: 3840, height: 2160)
        case .photo: nil
        }
    }

    /// What to request from a camera. Without a size, the largest that it delivers fluently is chosen.
    public var request: FormatRequest { FormatRequest(size: size) }
}

extension CameraRecord {
    /// Whether the camera delivers the preset in a format that livecap reads, or decodes on the way into its ring. A
    /// size to which a grabber would only scale its picture does not count.
    public func supports(_ preset: CapturePreset) -> Bool {
        offers.contains { offer in
            (offer.pixelFormat.isReadable || offer.pixelFormat.isVideo) && !offer.isScaled
                && (preset.size == nil || preset.size == offer.size)
        }
    }

    /// Whether the camera delivers what is requested, so that opening it with the request would not be refused.
    public func supports(_ request: FormatRequest) -> Bool { request.choose(from: offers) != nil }

    /// The presets that the camera delivers.
    public var presets: [CapturePreset] { CapturePreset.allCases.filter(supports) }
}
