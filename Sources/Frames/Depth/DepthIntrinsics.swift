// SPDX-License-Identifier: MIT
// How a camera's pixels map to directions: focal lengths, centre, and the distortion of its lens.

/// A pinhole camera: a point at (X, Y, Z) metres, Y downwards and Z forwards, is shown at x = fx X/Z + cx and
/// y = fy Y/Z + cy. Places are in pixels, and (0, 0) is the middle of the top left one.
public struct DepthIntrinsics: Hashable, Codable, Sendable {
    /// How a lens deviates from a pinhole.
    public enum DistortionModel: String, Hashable, Codable, Sendable, CaseIterable {
        /// Brown and Conrady, from directions to pixels: k1, k2, p1, p2, k3, as OpenCV numbers them.
        case brownConrady
        /// The same polynomial from pixels to directions.
        case inverseBrownConrady
        /// Kannala and Brandt, for fisheye lenses: k1 to k4.
        case kannalaBrandt

        /// The number of its coefficients.
        public var count: Int { self == .kannalaBrandt ? 4 : 5 }
    }

    /// The size of the pictures that all numbers are for.
    public var size: FrameSize
    /// The focal length across, in pixels.
    public var fx: Double
    /// The focal length down, in pixels.
    public var fy: Double
    /// The column of the optical axis.
    public var cx: Double
    /// The row of the optical axis.
    public var cy: Double
    /// The model of the lens; nil for a pinhole.
    public var model: DistortionModel?
    /// The coefficients of the model; empty for a pinhole.
    public var coefficients: [Double]

    /// Creates the intrinsics of a pinhole for pictures of a size.
    public init(size: FrameSize, fx: Double, fy: Double, cx: Double, cy: Double) {
        self.size = size
        self.fx = fx
        self.fy = fy
        self.cx = cx
        self.cy = cy
        model = nil
        coefficients = []
    }

    /// The same with a lens of that model, whose coefficients are as many as it has.
    public func distorted(_ model: DistortionModel, _ coefficients: [Double]) -> Self {
        var changed = self
        changed.model = model
        changed.coefficients = coefficients
        return changed
    }

    /// What is wrong with the numbers, in one line without a full stop; nil if nothing is.
    public var problem: String? {
        guard size.width > 0, size.height > 0 else { return "the size of the pictures is empty" }
        guard fx.isFinite, fy.isFinite, fx > 0, fy > 0 else { return "a focal length is not a positive number" }
        guard cx.isFinite, cy.isFinite else { return "the centre is not a number" }
        guard coefficients.count == model?.count ?? 0 else {
            let name = model.map { "\($0.rawValue) has" } ?? "a pinhole has"
            return "\(name) \(model?.count ?? 0) coefficients, not \(coefficients.count)"
        }
        return coefficients.allSatisfy(\.isFinite) ? nil : "a coefficient is not a number"
    }

    /// Those of the same camera's pictures in another size: all of what is seen, scaled.
    public func scaled(to other: FrameSize) -> Self {
        let across = Double(other.width) / Double(size.width)
        let down = Double(other.height) / Double(size.height)
        var scaled = self
        scaled.size = other
        scaled.fx = fx * across
        scaled.fy = fy * down
        // Pixels are counted from their middles.
        scaled.cx = (cx + 0.5) * across - 0.5
        scaled.cy = (cy + 0.5) * down - 0.5
        return scaled
    }

    /// Those of pictures that were mirrored left to right.
    public var mirrored: Self {
        var other = self
        other.cx = Double(size.width - 1) - cx
        if model?.count == 5 { other.coefficients[3] = -coefficients[3] }
        return other
    }

    /// Those of pictures whose rows have become columns.
    public var transposed: Self {
        var other = self
        other.size = FrameSize(width: size.height, height: size.width)
        other.fx = fy
        other.fy = fx
        other.cx = cy
        other.cy = cx
        if model?.count == 5 { other.coefficients.swapAt(2, 3) }
        return other
    }
}
