// SPDX-License-Identifier: MIT
// Why pictures cannot be made of frames.

import LivecapFrames
import LivecapThreads

/// Pictures of the wanted kind cannot be made of these frames.
public enum PictureError: ExplainedError, Hashable, Sendable {
    /// Frames of this pixel format cannot be decoded.
    case unreadable(PixelFormat)
    /// A picture cannot have this size.
    case badSize(FrameSize)
    /// JPEG pictures have a quality from 1 to 100.
    case badQuality(Int)

    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .unreadable(let format): "\(format) frames cannot be decoded"
        case .badSize(let size): "\(size) is no size of a picture"
        case .badQuality(let quality): "\(quality) is no quality of a JPEG picture"
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .unreadable: "choose another format of the camera, such as YUYV or MJPG"
        case .badSize: "choose a size from 1x1 to \(PictureSettings.largest)"
        case .badQuality: "choose a quality from 1 to 100"
        }
    }
}
