// SPDX-License-Identifier: MIT
// The rule by which every bound on noise is applied.

/// An estimate of noise, and the bound that decided it.
///
/// A bound can only lower the estimate, or discard it together with its witness. The last bound that did so decided.
struct BoundedEstimate: BitwiseCopyable {
    /// A variance in squared codes, or how many times stronger a variance is than another.
    private(set) var value: Float
    /// The last bound that lowered or discarded the estimate; nil if what was observed stands.
    private(set) var decidedBy: NoiseBound?

    /// What was observed.
    init(_ value: Float) { self.value = value }

    /// Lowers the estimate to `limit` if it exceeds `tolerance` times that, provided that `bound` is one of `bounds`.
    /// Returns whether it was lowered.
    @discardableResult
    mutating func limit(
        to limit: Float, by bound: NoiseBound, of bounds: NoiseBounds, tolerance: Float = 1
    ) -> Bool {
        guard value > tolerance * limit, bounds.contains(bound) else { return false }
        (value, decidedBy) = (min(value, limit), bound)
        return true
    }

    /// Discards the estimate if it is not credible as noise, provided that `bound` is one of `bounds`. Returns whether
    /// it was discarded.
    mutating func discard(
        by bound: NoiseBound, of bounds: NoiseBounds, if isIncredible: (_ value: Float) -> Bool
    ) -> Bool {
        guard bounds.contains(bound), isIncredible(value) else { return false }
        (value, decidedBy) = (0, bound)
        return true
    }

    /// Converts the estimate to another scale.
    mutating func scale(by factor: Float) { value *= factor }
}
