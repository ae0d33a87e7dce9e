// SPDX-License-Identifier: MIT
// Peak signal-to-noise ratio of a whole plane or a part of it.

import Glibc

extension CodePlane {
    /// The mean squared difference from `truth`, in squared codes; only over the samples marked in `isCounted`, if
    /// given. 0 if none is marked.
    public func squaredError(against truth: CodePlane, where isCounted: [Bool]? = nil) -> Double {
        requireSize(of: truth)
        precondition(isCounted.map { $0.count == samples.count } ?? true, "the mask tells of every place")
        var (sum, count) = (0.0, 0)
        for place in samples.indices where isCounted?[place] ?? true {
            let difference = Double(samples[place]) - Double(truth.samples[place])
            sum += difference * difference
            count += 1
        }
        return count == 0 ? 0 : sum / Double(count)
    }

    /// The peak signal-to-noise ratio against `truth`, in dB for a peak of 255; about 169 for equal planes. The value
    /// of a whole picture hides errors in small parts of it, such as the path of a moving object: mark those in
    /// `isCounted`.
    public func psnr(against truth: CodePlane, where isCounted: [Bool]? = nil) -> Double {
        decibels(255 * 255, over: squaredError(against: truth, where: isCounted))
    }
}

/// A ratio of powers in dB, with an upper bound if the divisor is 0.
func decibels(_ power: Double, over other: Double) -> Double { 10 * log10(power / max(other, 0x1p-40)) }
