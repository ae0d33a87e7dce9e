// SPDX-License-Identifier: MIT
// The filters by which a webcam hides its noise: over time, over neighbours, and the sharpening after them.

/// Filters Y', Cb and Cr (Y' from 0 to 1, the others around 0).
struct NoiseFilters: Sendable {
    private let settings: WebcamSettings
    /// Differences of Y' up to this much are smoothed away, up to twice as much in part. About 2.5 standard deviations
    /// of a mid-grey's noise.
    private let limit: Float

    /// `noise` is the scene's, in multiples of that of a lit room.
    init(_ settings: WebcamSettings, noise: Double) {
        self.settings = settings
        limit = Float(0.025 * settings.gain * noise)
    }

    /// How many earlier frames `average` takes.
    var earlierFrames: Int { settings.temporal > 0 ? 4 : 0 }

    /// Averages a picture with earlier ones, the latest first, where they are alike.
    func average(_ picture: PicturePlanes, with earlier: [PicturePlanes], into out: PicturePlanes) {
        let (width, stride) = (picture.first.width, picture.first.stride)
        for (to, from) in zip(out.all, picture.all) { to.copy(from) }
        for planes in earlier + [picture] { planes.first.mirror() }
        // Noise of a mean of nine is a third.
        let scale = 1 / max(1e-6, limit / 3)
        for y in 0..<picture.first.height {
            let own = picture.first.row(y)
            for x in 0..<width {
                var (sums, all, weight) = (
                    (own[x], picture.second.row(y)[x], picture.third.row(y)[x]), Float(1), Float(1)
                )
                let here = Self.mean(own + x, stride)
                for planes in earlier {
                    weight *= Float(settings.temporal)
                    let apart = abs(here - Self.mean(planes.first.row(y) + x, stride)) * scale
                    let share = weight * min(1, max(0, 2 - apart))
                    sums.0 += share * planes.first.row(y)[x]
                    sums.1 += share * planes.second.row(y)[x]
                    sums.2 += share * planes.third.row(y)[x]
                    all += share
                }
                let part = 1 / all
                out.first.row(y)[x] = sums.0 * part
                out.second.row(y)[x] = sums.1 * part
                out.third.row(y)[x] = sums.2 * part
            }
        }
    }

    private static func mean(_ p: UnsafePointer<Float>, _ s: Int) -> Float {
        let above = p[-s - 1] + p[-s] + p[-s + 1], below = p[s - 1] + p[s] + p[s + 1]
        return (above + (p[-1] + p[0] + p[1]) + below) * (1 / 9)
    }

    /// Averages neighbours of like brightness: 5x5 for Y', 7x7 for colours.
    func smooth(_ picture: PicturePlanes, _ scratch: PicturePlanes) {
        guard settings.denoise > 0 else { return }
        for (to, from) in zip(scratch.all, picture.all) {
            from.mirror()
            to.copy(from)
        }
        let (share, scale) = (Float(settings.denoise), 1 / max(1e-6, limit))
        let stride = picture.first.stride
        for y in 0..<picture.first.height {
            let (luma, cb, cr) = (scratch.first.row(y), scratch.second.row(y), scratch.third.row(y))
            for x in 0..<picture.first.width {
                let brightness = Self.mean(luma + x, luma + x, luma: luma + x, stride: stride, reach: 2, scale: scale).0
                let colors = Self.mean(cb + x, cr + x, luma: luma + x, stride: stride, reach: 3, scale: 0.7 * scale)
                picture.first.row(y)[x] += share * (brightness - luma[x])
                picture.second.row(y)[x] += share * (colors.0 - cb[x])
                picture.third.row(y)[x] += share * (colors.1 - cr[x])
            }
        }
    }

    /// The means of two planes around a sample, weighted by how alike the samples of `luma` are.
    @inline(__always) private static func mean(
        _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, luma: UnsafePointer<Float>, stride: Int, reach: Int,
        scale: Float
    ) -> (Float, Float) {
        var (sums, all) = ((Float(0), Float(0)), Float(0))
        for dy in -reach...reach {
            for dx in -reach...reach {
                let place = dy * stride + dx
                let share = min(1, max(0, 2 - abs(luma[place] - luma[0]) * scale))
                sums.0 += share * a[place]
                sums.1 += share * b[place]
                all += share
            }
        }
        return (sums.0 / all, sums.1 / all)
    }

    /// Adds to Y' what a blur takes from it, but for what is as small as noise (coring).
    func sharpen(_ luma: PicturePlane, _ scratch: PicturePlanes) {
        guard settings.sharpen > 0 else { return }
        scratch.first.copy(luma)
        scratch.first.blur((0.375, 0.25, 0.0625), scratch.second)
        let (strength, least) = (Float(settings.sharpen), 0.3 * limit)
        for y in 0..<luma.height {
            let (row, soft) = (luma.row(y), scratch.first.row(y))
            for x in 0..<luma.width {
                let detail = row[x] - soft[x]
                row[x] += strength * (detail - min(least, max(-least, detail)))
            }
        }
    }
}
