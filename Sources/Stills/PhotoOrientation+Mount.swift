// SPDX-License-Identifier: MIT
// The orientation of a photo by how its camera is mounted, and the other way round.

import LivecapFrames

extension PhotoOrientation {
    /// The orientation that makes pictures of a camera mounted like this upright.
    package init(_ mount: CameraMount) {
        self =
            switch (mount.angle, mount.isMirrored) {
            case (.none, false): .up
            case (.quarter, false): .right
            case (.half, false): .down
            case (.threeQuarters, false): .left
            case (.none, true): .upMirrored
            case (.quarter, true): .rightMirrored
            case (.half, true): .downMirrored
            case (.threeQuarters, true): .leftMirrored
            }
    }
}

extension CameraMount {
    /// The mount whose pictures have this orientation.
    package init(_ orientation: PhotoOrientation) {
        let angle: RotationAngle =
            switch orientation.turn {
            case .right: .quarter
            case .down: .half
            case .left: .threeQuarters
            default: .none
            }
        self.init(angle: angle, isMirrored: orientation.isMirrored)
    }
}
