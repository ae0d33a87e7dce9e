// SPDX-License-Identifier: MIT
// Shapes, as distances from their edges: negative inside.

/// Distances of places from the edges of shapes. Some are a little short or long of the true distance, which makes no
/// visible difference to edges a sample wide.
enum Shape {
    static func disc(_ place: Place, at middle: Place = .zero, radius: Float) -> Float {
        length(place - middle) - radius
    }

    /// An ellipse with axes along x and y.
    static func ellipse(_ place: Place, at middle: Place = .zero, radii: Place) -> Float {
        let near = (place - middle) / radii, far = near / radii
        let size = length(near)
        return size < 1e-5 ? -min(radii.x, radii.y) : size * (size - 1) / length(far)
    }

    /// A rectangle with round corners.
    static func box(_ place: Place, at middle: Place = .zero, half: Place, corner: Float = 0) -> Float {
        let offset = place - middle
        let beyond = Place(abs(offset.x), abs(offset.y)) - half + corner
        return length(beyond.clamped(lowerBound: .zero, upperBound: Place(repeating: 1e9)))
            + min(max(beyond.x, beyond.y), 0) - corner
    }

    /// A line with round ends, from one radius to another.
    static func taper(
        _ place: Place, from start: Place, to end: Place, radii: (start: Float, end: Float)
    ) -> Float {
        let along = end - start, offset = place - start
        let share = min(max((offset * along).sum() / (along * along).sum(), 0), 1)
        return length(offset - along * share) - (radii.start + (radii.end - radii.start) * share)
    }

    /// A heart that fills about -1...1.
    static func heart(_ place: Place) -> Float {
        let half = Place(abs(place.x), place.y), start = Place(0.47, -0.30), along = Place(0.02, 0.80) - start
        let share = min(max(((half - start) * along).sum() / (along * along).sum(), 0), 1)
        // From a large disc to its tip, with round sides between.
        let radius = 0.5 - 0.43 * share + 0.44 * share * (1 - share)
        return length(half - start - along * share) - radius
    }

    /// Two shapes that flow into each other over `blend`.
    static func joined(_ a: Float, _ b: Float, blend: Float) -> Float {
        let share = min(max(0.5 + (b - a) / (2 * blend), 0), 1)
        return b + (a - b) * share - blend * share * (1 - share)
    }

    static func length(_ place: Place) -> Float { (place * place).sum().squareRoot() }
}
