// SPDX-License-Identifier: MIT
// What stages have done to the frames of a stream.

/// What is done to the frames of a stream before they are taken, in this order.
public struct FrameTreatment: OptionSet, Hashable, Sendable {
    /// What is done, as bits.
    public let rawValue: UInt8

    /// What the bits say is done.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Each is fused with its past.
    public static let fused = Self(rawValue: 1)
    /// The motion of the camera is taken out.
    package static let steadied = Self(rawValue: 2)
    /// Effects are drawn into them.
    public static let withEffects = Self(rawValue: 4)

    /// All that stages do, in the order in which they do it.
    package static let steps: [Self] = [.fused, .steadied, .withEffects]

    /// What is done last; nil if nothing is.
    package var last: Self? { Self.steps.last(where: contains) }

    /// What has been done after each step.
    package var beginnings: [Self] {
        Self.steps.filter(contains).reduce(into: []) { done, step in done.append((done.last ?? []).union(step)) }
    }

    /// Such as "fused and steadied"; nil if nothing was done.
    package var words: String? {
        let names = zip(Self.steps, ["fused", "steadied", "with effects"]).filter { contains($0.0) }.map(\.1)
        guard let last = names.last else { return nil }
        return names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
}
