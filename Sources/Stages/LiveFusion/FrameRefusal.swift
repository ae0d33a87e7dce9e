// SPDX-License-Identifier: MIT
// What is said of frames that a stage cannot take.

import Camera
import Fusion
import LivecapFrames

extension CameraError {
    /// Frames of `format` cannot be `treated`, such as "fused".
    static func unsuitable(_ format: FrameFormat, treated: String) -> CameraError {
        let sides = Fuser.sides
        let fits = sides.contains(format.size.width) && sides.contains(format.size.height)
        return .badSettings(
            "\(format.pixelFormat) \(format.size) frames cannot be \(treated)",
            hint: fits
                ? "choose another format of the camera, such as YUYV or MJPG"
                : "choose a size of at least \(sides.lowerBound)x\(sides.lowerBound), and at most "
                    + "\(sides.upperBound)x\(sides.upperBound)")
    }
}
