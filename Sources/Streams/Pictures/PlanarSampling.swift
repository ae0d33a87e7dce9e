// SPDX-License-Identifier: MIT
// How chroma is sampled in planes of 8-bit samples.

import LivecapFrames

/// The chroma sampling of planes of 8-bit samples.
package enum PlanarSampling: Hashable {
    case s420
    case s422
    case s444
    case grey

    /// The number of pixels that share a chroma sample, across and down; nil without chroma.
    package var shared: (across: Int, down: Int)? {
        switch self {
        case .s420: (2, 2)
        case .s422: (2, 1)
        case .s444: (1, 1)
        case .grey: nil
        }
    }

    /// The planes of a picture, one after the other.
    package func planes(_ size: FrameSize) -> [Plane] {
        let luma = Plane(offset: 0, stride: size.width, rowBytes: size.width, rows: size.height)
        guard let (across, down) = shared else { return [luma] }
        let width = (size.width + across - 1) / across
        let first = Plane(offset: luma.end, stride: width, rowBytes: width, rows: (size.height + down - 1) / down)
        var second = first
        second.offset = first.end
        return [luma, first, second]
    }
}
