// SPDX-License-Identifier: MIT
// The colour filter array, and the linear interpolation of the colours that each pixel lacks.

/// Interpolates a mosaic of red, green, green and blue pixels.
///
/// Each missing colour is the mean of its neighbours, corrected by how the pixel's own colour curves (Malvar, He and
/// Cutler 2004). Cameras do likewise: it makes their noise coarse, and it rings at edges.
enum Mosaic {
    /// The colour that a pixel sees: 0 red, 1 green, 2 blue.
    @inline(__always) static func color(_ x: Int, _ y: Int) -> Int { (y & 1) + (x & 1) }

    static func interpolate(_ mosaic: PicturePlane, into planes: PicturePlanes) {
        mosaic.mirror()
        for y in 0..<mosaic.height {
            let at = mosaic.row(y)
            let rows = (planes.first.row(y), planes.second.row(y), planes.third.row(y))
            for x in 0..<mosaic.width {
                let own = at[x]
                if color(x, y) == 1 {
                    // The colours beside and above: red ones beside in red rows.
                    let (beside, above) = (across(at + x, mosaic.stride), down(at + x, mosaic.stride))
                    (rows.0[x], rows.1[x], rows.2[x]) = y & 1 == 0 ? (beside, own, above) : (above, own, beside)
                } else {
                    let (green, other) = (green(at + x, mosaic.stride), opposite(at + x, mosaic.stride))
                    (rows.0[x], rows.1[x], rows.2[x]) = y & 1 == 0 ? (own, green, other) : (other, green, own)
                }
            }
        }
    }

    @inline(__always) private static func green(_ p: UnsafePointer<Float>, _ s: Int) -> Float {
        let near = p[-1] + p[1] + p[-s] + p[s], far = p[-2] + p[2] + p[-2 * s] + p[2 * s]
        return (2 * near + 4 * p[0] - far) * 0.125
    }

    /// At a green pixel, the colour of the pixels left and right.
    @inline(__always) private static func across(_ p: UnsafePointer<Float>, _ s: Int) -> Float {
        let corners = p[-s - 1] + p[-s + 1] + p[s - 1] + p[s + 1]
        return (4 * (p[-1] + p[1]) + 5 * p[0] - corners - (p[-2] + p[2]) + 0.5 * (p[-2 * s] + p[2 * s])) * 0.125
    }

    /// At a green pixel, the colour of the pixels above and below.
    @inline(__always) private static func down(_ p: UnsafePointer<Float>, _ s: Int) -> Float {
        let corners = p[-s - 1] + p[-s + 1] + p[s - 1] + p[s + 1]
        return (4 * (p[-s] + p[s]) + 5 * p[0] - corners - (p[-2 * s] + p[2 * s]) + 0.5 * (p[-2] + p[2])) * 0.125
    }

    /// At a red pixel blue, at a blue one red.
    @inline(__always) private static func opposite(_ p: UnsafePointer<Float>, _ s: Int) -> Float {
        let corners = p[-s - 1] + p[-s + 1] + p[s - 1] + p[s + 1], far = p[-2] + p[2] + p[-2 * s] + p[2 * s]
        return (2 * corners + 6 * p[0] - 1.5 * far) * 0.125
    }
}
