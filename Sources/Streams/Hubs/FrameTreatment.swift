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

    /// Such as "fused and steadied"; nil if nothing was done.
    package var words: String? {
        let words = [contains(.fused) ? "fused" : nil, contains(.steadied) ? "steadied" : nil].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }
}
