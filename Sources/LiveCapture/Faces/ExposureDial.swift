// SPDX-License-Identifier: MIT
// A control of a camera that makes its pictures brighter or darker.

import Glibc

/// The values that an exposure or a gain can have, and what they do to the light.
package struct ExposureDial: Hashable, Sendable {
    /// The present value.
    package var value: Int64
    /// The smallest.
    package let minimum: Int64
    /// The largest to be used.
    package let maximum: Int64
    /// The distance between values.
    package let step: Int64

    /// A dial. Its range may end between two steps.
    package init(value: Int64, _ range: ClosedRange<Int64>, step: Int64 = 1) {
        self.step = max(1, step)
        minimum = range.lowerBound
        maximum = range.upperBound - (range.upperBound - range.lowerBound) % self.step
        self.value = min(max(value, minimum), maximum)
    }

    private func nearest(_ wish: Double) -> Int64 {
        let bounded = min(max(wish, Double(minimum)), Double(maximum))
        return minimum + Int64(((bounded - Double(minimum)) / Double(step)).rounded()) * step
    }

    /// For times: light grows as the value does. `value` with `change` EV more.
    func scaled(_ value: Int64, by change: Double) -> Int64 {
        guard change != 0, value > 0 else { return value }
        return nearest(Double(value) * exp2(change))
    }

    // What a unit of gain does is not known. For some cameras the value is a factor, for others a logarithm of it, and
    // from its least to its most it is about 4 EV. A step is the smaller of what these two would need.

    /// For gains, `change` being positive. Returns the new value and the change that is left for the next step.
    func raised(_ value: Int64, by change: Double) -> (Int64, Double) { turned(value, by: change) }

    /// For gains, `change` being negative.
    func lowered(_ value: Int64, by change: Double) -> (Int64, Double) { turned(value, by: change) }

    private static let span = 4.0

    private func turned(_ value: Int64, by change: Double) -> (Int64, Double) {
        let width = Double(maximum - minimum)
        guard width > 0 else { return (value, change) }
        let next = nearest(wish(value, plus: change, width))
        guard next != value else { return (value, change) }
        // A gain that could be turned is taken to have done it all: how much it was is seen in the next frames.
        let isAtEnd = next == minimum || next == maximum
        return (next, isAtEnd ? change - ev(from: value, to: next, width) : 0)
    }

    private func wish(_ value: Int64, plus change: Double, _ width: Double) -> Double {
        let base = width / (exp2(Self.span) - 1)
        let factor = (Double(value - minimum) + base) * exp2(change) - base + Double(minimum)
        let logarithm = Double(value) + change / Self.span * width
        return change > 0 ? min(factor, logarithm) : max(factor, logarithm)
    }

    /// The light that a turn adds at most, in EV.
    private func ev(from value: Int64, to next: Int64, _ width: Double) -> Double {
        let base = width / (exp2(Self.span) - 1)
        let factor = log2((Double(next - minimum) + base) / (Double(value - minimum) + base))
        let logarithm = Double(next - value) / width * Self.span
        return factor.magnitude > logarithm.magnitude ? factor : logarithm
    }
}
