// SPDX-License-Identifier: MIT
// What stages have done to the frames of a stream.

/// What stages have done to the frames of a stream, in this order.
package struct FrameTreatment: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Each is fused with its past.
    package static let fused = Self(rawValue: 1)
    /// The motion of the camera is taken out.
    package static let steadied = Self(rawValue: 2)

    /// Effects are drawn into them.
    package static let withEffects = Self(rawValue: 4)

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
