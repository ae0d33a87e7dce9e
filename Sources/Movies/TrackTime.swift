// SPDX-License-Identifier: MIT
// Times of a movie as samples of its sound: cuts lie on samples, so that both tracks stay together.

import LivecapFrames
import LivecapSound

/// Times since a movie's first picture, and the samples that are heard then.
enum TrackTime {
    /// When a sample is heard. It may be before the first picture: decoders need a beginning that is not heard.
    static func time(of sample: Int64) -> Duration {
        let (seconds, rest) = sample.quotientAndRemainder(dividingBy: rate)
        return .seconds(seconds) + .nanoseconds(Int64((Double(rest) * 1e9 / Double(rate)).rounded()))
    }

    /// The sample nearest to a time.
    static func sample(at time: Duration) -> Int64 {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * rate + Int64((Double(rest) * Double(rate) / 1e9).rounded())
    }

    private static let rate = Int64(SoundTimeline.rate)
}
