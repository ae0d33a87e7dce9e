// SPDX-License-Identifier: MIT
// Describes the depth map in a picture file as text and as a JSON object.

import LivecapFrames
import LivecapIntents
import LivecapStills

extension PhotoDepth {
    var object: JSON {
        var members: [(String, JSON)] = [
            ("form", .string(form.rawValue)), ("width", JSON(size?.width)), ("height", JSON(size?.height)),
            ("bits", JSON(bits)),
        ]
        let numbers = [
            ("nearM", distances?.lowerBound), ("farM", distances?.upperBound), ("metresPerCount", metresPerCount),
        ]
        members += numbers.map { name, number in (name, number.map { .number($0) } ?? .null) }
        members.append(("filtered", isFiltered.map { .bool($0) } ?? .null))
        members.append(("intrinsics", intrinsics?.object ?? .null))
        return .object(members)
    }

    /// Indented like the other lines of a picture's report.
    var lines: [String] {
        let what = form == .png ? "is a depth map" : "with a depth map"
        let measures = size.map { " of \($0)" } ?? ""
        let depth = bits.map { " in \($0) bits" } ?? ""
        let range = distances.map { ", \(fixed($0.lowerBound, 2)) to \(fixed($0.upperBound, 2)) m" } ?? unknownRange
        let treatment = isFiltered.map { $0 ? ", filtered" : ", as it was measured" } ?? ""
        let lens = intrinsics.map { lens -> String in
            let focal = "\(fixed(lens.fx, 1)) and \(fixed(lens.fy, 1))"
            return "    seen by a lens of focal lengths \(focal) pixels at \(lens.size)"
        }
        return ["  \(what)\(measures)\(depth)\(range)\(treatment)"] + (lens.map { [$0] } ?? [])
    }

    /// Maps made here say how far they go, unless they have nothing but holes.
    private var unknownRange: String { metresPerCount == nil ? ", without a measure" : ", which has only holes" }
}

extension DepthIntrinsics {
    fileprivate var object: JSON {
        let lens: [(String, Double)] = [("fx", fx), ("fy", fy), ("cx", cx), ("cy", cy)]
        var members: [(String, JSON)] = [("width", JSON(size.width)), ("height", JSON(size.height))]
        members += lens.map { name, number in (name, .number(number)) }
        members.append(("distortion", model.map { .string($0.rawValue) } ?? .null))
        members.append(("coefficients", .array(coefficients.map { .number($0) })))
        return .object(members)
    }
}
