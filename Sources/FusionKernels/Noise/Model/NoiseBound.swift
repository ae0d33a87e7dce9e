// SPDX-License-Identifier: MIT
// The bounds on noise estimates: what each one limits, to what, and why.

/// A limit on an estimate of noise. Texture, motion and light also make samples differ, so a witness of noise (a pair
/// of frames, or a single frame) can only read too high for those reasons. A bound lowers an estimate to what another
/// observation allows, or discards a witness. It never raises one.
///
/// `BoundedEstimate` applies all of them by one rule. The limits are in `NoiseLimit`, each with its
/// reason. `livecap bench noise` measures what leaving each bound out costs.
public enum NoiseBound: String, Hashable, Codable, Sendable, BitwiseCopyable, CaseIterable {
    /// In a pair of frames: where all samples of a group of squares vary far more than the calm ones (the paper
    /// between letters), the group has the variance of its calm samples. Sharp edges that moved by a fraction of a
    /// sample differ without any noise.
    case calmSamples
    /// In a pair of frames: a group of squares that holds texture has at most the variance of each group without
    /// texture, times the root of the ratio of their brightnesses. Noise changes no faster than that.
    case cleanGroups
    /// In a pair of frames: a group of squares that stands out from the groups of similar brightness on both sides is
    /// lowered to them. It is texture at a brightness that hardly anything else has.
    case neighbouringGroups
    /// In a pair of frames: noise at a slope is at most a multiple of what the quieter blocks of that slope show. If it
    /// is stronger, something moved in the others.
    case slopeQuantiles

    /// Among pairs: a pair that shows far more noise than the quietest pair is discarded. One of its frames is damaged,
    /// or there is a cut between them.
    case otherPairs
    /// Among pairs: a pair that was measured on texture is discarded at each brightness where it shows more noise than
    /// the quietest pair there.
    case texturedPairs
    /// Of all pairs: if they show far more noise than the reference alone allows, they are discarded, and the
    /// reference alone gives the noise.
    case referenceAlone
    /// Of all pairs, if the reference alone gives no estimate: if more than a small share of the variance of its
    /// texture would be noise, they are discarded.
    case textureVariance

    /// In a single frame: a range of brightness whose spectrum is smoother than that of any camera's noise is
    /// discarded.
    case smoothTexture
    /// In a single frame: a range of brightness is discarded if most of its even tiles hold detail, unless what the
    /// others show is white. They may hold fainter detail.
    case mostlyDetail
    /// In a single frame: where noise is known to be white, coarse coefficients that exceed the fine ones are texture,
    /// and are limited to them.
    case whiteNoise
    /// In a single frame: where the calm samples of a range of brightness vary far less than all of its samples, they
    /// limit it. That is print on paper.
    case calmPlaces
    /// In a single frame: a range of brightness has at most the variance of the next ones above and below, times the
    /// ratio of their brightnesses. Where no place of a brightness is even, detail reads as noise.
    case nearbyRanges

    /// What a bound limits.
    package enum Witness: Sendable {
        /// What pairs of frames show.
        case pair
        /// What a single frame shows.
        case singleFrame
    }

    /// What this bound limits.
    package var witness: Witness {
        switch self {
        case .calmSamples, .cleanGroups, .neighbouringGroups, .slopeQuantiles: .pair
        case .otherPairs, .texturedPairs, .referenceAlone, .textureVariance: .pair
        case .smoothTexture, .mostlyDetail, .whiteNoise, .calmPlaces, .nearbyRanges: .singleFrame
        }
    }
}

/// A set of bounds, which takes no memory of its own.
struct NoiseBounds: OptionSet, Hashable, Codable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every bound but these.
    init(allBut leftOut: Set<NoiseBound>) {
        self.init(rawValue: 1 << UInt32(NoiseBound.allCases.count) - 1)
        for bound in leftOut { remove(Self(bound)) }
    }

    static let all = NoiseBounds(allBut: [])

    func contains(_ bound: NoiseBound) -> Bool { contains(Self(bound)) }
    mutating func insert(_ bound: NoiseBound) { insert(Self(bound)) }

    /// The bounds in order.
    var list: [NoiseBound] {
        var list: [NoiseBound] = []
        guard !isEmpty else { return list }
        list.reserveCapacity(rawValue.nonzeroBitCount)
        for bound in NoiseBound.allCases where contains(bound) { list.append(bound) }
        return list
    }

    /// The set of one bound.
    init(_ bound: NoiseBound) {
        let place: UInt32 =
            switch bound {
            case .calmSamples: 0
            case .cleanGroups: 1
            case .neighbouringGroups: 2
            case .slopeQuantiles: 3
            case .otherPairs: 4
            case .texturedPairs: 5
            case .referenceAlone: 6
            case .textureVariance: 7
            case .smoothTexture: 8
            case .mostlyDetail: 9
            case .whiteNoise: 10
            case .calmPlaces: 11
            case .nearbyRanges: 12
            }
        self.init(rawValue: 1 << place)
    }
}
