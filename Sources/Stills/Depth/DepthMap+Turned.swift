// SPDX-License-Identifier: MIT
// Depth maps turned and mirrored like the pictures that they belong to.

import LivecapFrames

extension DepthMap {
    /// The map as it is shown with a picture of that orientation. Its lens is turned with it.
    package func turned(_ orientation: PhotoOrientation) -> DepthMap {
        guard orientation != .up else { return self }
        let shown = orientation.shown(size)
        let turned = [UInt16](unsafeUninitializedCapacity: shown.area) { turned, count in
            for y in 0..<shown.height {
                for x in 0..<shown.width {
                    let pixel = orientation.pixel(shownAt: x, y, of: size)
                    turned[y * shown.width + x] = samples[pixel.y * size.width + pixel.x]
                }
            }
            count = shown.area
        }
        return DepthMap(
            size: shown, samples: turned, metresPerCount: metresPerCount, reach: reach,
            intrinsics: intrinsics?.turned(orientation), isFiltered: isFiltered)
    }
}

extension DepthIntrinsics {
    /// Those of pictures as they are shown with that orientation.
    package func turned(_ orientation: PhotoOrientation) -> DepthIntrinsics {
        let plain = orientation.isMirrored ? mirrored : self
        return switch orientation.turn {
        case .right: plain.transposed.mirrored
        case .left: plain.mirrored.transposed
        case .down: plain.mirrored.transposed.mirrored.transposed
        default: plain
        }
    }
}
