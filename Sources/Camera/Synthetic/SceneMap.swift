// SPDX-License-Identifier: MIT
// The scene's light, sampled at every pixel of an area larger than the picture and interpolated in between.

import LivecapFrames

/// Light sampled once, so that a frame only has to interpolate it. 16 bits per channel are finer than an 8-bit frame
/// can show even in the dark.
struct SceneMap: Sendable {
    /// The number of samples left of and above the picture when the camera is in its middle position.
    let margin: Int
    let width: Int
    let height: Int
    private let samples: [SIMD4<UInt16>]
    private static let scale: Float = 65535

    /// Samples what is drawn by a function of the position, as `SceneContent` has it.
    init(size: FrameSize, margin: Int, _ light: (_ u: Float, _ v: Float) -> SIMD4<Float>) {
        let pixel = 1 / Float(size.height)
        self.init(size, margin) { x, y in
            light((Float(x - margin) + 0.5 - Float(size.width) / 2) * pixel, (Float(y - margin) + 0.5) * pixel)
        }
    }

    /// Takes samples of a picture as large as the map.
    init(size: FrameSize, margin: Int, picture: [SIMD4<Float>]) {
        self.init(size, margin) { x, y in picture[y * (size.width + 2 * margin) + x] }
    }

    private init(_ size: FrameSize, _ margin: Int, _ light: (_ x: Int, _ y: Int) -> SIMD4<Float>) {
        self.margin = margin
        let (across, down) = (size.width + 2 * margin, size.height + 2 * margin)
        width = across
        height = down
        samples = [SIMD4<UInt16>](unsafeUninitializedCapacity: across * down) { samples, count in
            for y in 0..<down {
                for x in 0..<across {
                    let light = light(x, y).clamped(
                        lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
                    samples[y * across + x] = SIMD4<UInt16>(light * Self.scale, rounding: .toNearestOrEven)
                }
            }
            count = across * down
        }
    }

    /// The Catmull-Rom weights of the four samples around a position `t` after the second.
    @inline(__always) static func weights(_ t: Float) -> SIMD4<Float> {
        let (t2, t3) = (t * t, t * t * t)
        return SIMD4(
            0.5 * (-t3 + 2 * t2 - t), 0.5 * (3 * t3 - 5 * t2 + 2), 0.5 * (-3 * t3 + 4 * t2 + t), 0.5 * (t3 - t2))
    }

    /// Computes the light along one row of a picture under a pose, one value per pixel.
    ///
    /// The row is a straight line across the map. The map is interpolated down each of its columns where the line
    /// crosses it, and then along the line. This takes four samples twice instead of sixteen. It is exact for shifts,
    /// and for small rotations no worse than the interpolation itself.
    ///
    /// `columns` must have room for `width` values, and `result` for the picture's width.
    func sample(
        row y: Int, size: FrameSize, pose: CameraPose, columns: UnsafeMutablePointer<SIMD4<Float>>,
        into result: UnsafeMutablePointer<SIMD4<Float>>
    ) {
        let (cosine, sine) = (
            SceneMath.cosine(turns: pose.rotation / 360), SceneMath.sine(turns: pose.rotation / 360)
        )
        let (middleX, middleY) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
        let down = Double(y) - middleY
        // The position of the row's pixel 0 in the map, and below, the step per pixel.
        let startX = middleX - cosine * middleX - sine * down + pose.dx + Double(margin)
        let startY = middleY - sine * middleX + cosine * down + pose.dy + Double(margin)
        let first = Int(startX.rounded(.down)) - 1
        let count = min(Int((Double(size.width) * cosine).rounded(.up)) + 5, width - first)
        precondition(first >= 0 && count > 4, "a pose within the margin")

        let offset = startX - Double(first)
        samples.withUnsafeBufferPointer { samples in
            let start = samples.baseAddress! + first
            if pose.rotation == 0 {
                interpolate(start, at: startY, result: columns, count: count)
                interpolate(columns, at: offset, result: result, count: size.width)
            } else {
                let slope = sine / cosine
                interpolate(start, at: startY - offset * slope, slope: slope, result: columns, count: count)
                interpolate(columns, at: offset, step: cosine, result: result, count: size.width)
            }
        }
    }

    /// Interpolates columns of samples, all at the same height.
    private func interpolate(
        _ start: UnsafePointer<SIMD4<UInt16>>, at place: Double, result: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int
    ) {
        // Positions within the map are positive, so truncation rounds down.
        let row = Int(place)
        let weight = Self.weights(Float(place - Double(row))) * (1 / Self.scale)
        let (top, upper) = (start + (row - 1) * width, start + row * width)
        let (lower, bottom) = (start + (row + 1) * width, start + (row + 2) * width)
        for column in 0..<count {
            result[column] =
                (light(top[column]) * weight.x + light(upper[column]) * weight.y)
                + (light(lower[column]) * weight.z + light(bottom[column]) * weight.w)
        }
    }

    /// Interpolates columns of samples, each `slope` lower than the previous one.
    private func interpolate(
        _ start: UnsafePointer<SIMD4<UInt16>>, at first: Double, slope: Double,
        result: UnsafeMutablePointer<SIMD4<Float>>, count: Int
    ) {
        for column in 0..<count {
            let place = first + Double(column) * slope
            let row = Int(place)
            let weight = Self.weights(Float(place - Double(row))) * (1 / Self.scale)
            let top = start + (row - 1) * width + column
            result[column] =
                (light(top[0]) * weight.x + light(top[width]) * weight.y)
                + (light(top[2 * width]) * weight.z + light(top[3 * width]) * weight.w)
        }
    }

    /// Interpolates along a row in steps of one.
    private func interpolate(
        _ columns: UnsafePointer<SIMD4<Float>>, at place: Double, result: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int
    ) {
        let column = Int(place)
        let weight = Self.weights(Float(place - Double(column)))
        let left = columns + (column - 1)
        for x in 0..<count {
            result[x] =
                (left[x] * weight.x + left[x + 1] * weight.y) + (left[x + 2] * weight.z + left[x + 3] * weight.w)
        }
    }

    /// Interpolates along a row in steps of slightly less than one.
    private func interpolate(
        _ columns: UnsafePointer<SIMD4<Float>>, at first: Double, step: Double,
        result: UnsafeMutablePointer<SIMD4<Float>>, count: Int
    ) {
        for x in 0..<count {
            let place = first + Double(x) * step
            let column = Int(place)
            let weight = Self.weights(Float(place - Double(column)))
            let left = columns + (column - 1)
            result[x] = (left[0] * weight.x + left[1] * weight.y) + (left[2] * weight.z + left[3] * weight.w)
        }
    }

    /// Converts samples to floats. Setting the low 16 bits of the float 2^23 adds exactly their value to it.
    @inline(__always) private func light(_ sample: SIMD4<UInt16>) -> SIMD4<Float> {
        let bits = SIMD4<UInt32>(truncatingIfNeeded: sample) | SIMD4(repeating: (0x1p23 as Float).bitPattern)
        return unsafeBitCast(bits, to: SIMD4<Float>.self) - 0x1p23
    }
}
