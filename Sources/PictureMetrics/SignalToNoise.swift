// SPDX-License-Identifier: MIT
// Peak signal to noise ratio, of a whole plane or of a part of it.

import Glibc

extension CodePlane {
    /// The mean squared difference from `truth`, in codes squared; over the places where `isCounted`, when given.
    /// Zero where nothing is counted.
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

    /// The peak signal to noise ratio against `truth`, in dB under a peak of 255; about 169 for equal planes. A whole
    /// picture's figure hides what happens in small parts of it: give those as `isCounted`, as the path of a moving object.
    public func psnr(against truth: CodePlane, where isCounted: [Bool]? = nil) -> Double {
        decibels(255 * 255, over: squaredError(against: truth, where: isCounted))
    }
}

/// A ratio of powers in dB, bounded where there is nothing to divide by.
func decibels(_ power: Double, over other: Double) -> Double { 10 * log10(power / max(other, 0x1p-40)) }
