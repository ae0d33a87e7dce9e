// SPDX-License-Identifier: MIT
// The orientation of a photo by how its camera is mounted.

import Camera
import LivecapStills

extension PhotoOrientation {
    /// The orientation that makes pictures of a camera mounted like this upright.
    init(_ mount: CameraMount) {
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
