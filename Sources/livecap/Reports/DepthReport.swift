// SPDX-License-Identifier: MIT
// Describes the depth map in a picture file as text and as a JSON object.

import LivecapFrames
import LivecapIntents
import LivecapStills

extension PhotoDepth {
    var object: JSON {
        .object([
            ("form", .string(form.rawValue)), ("width", size.map { JSON($0.width) } ?? .null),
            ("height", size.map { JSON($0.height) } ?? .null), ("bits", bits.map { JSON($0) } ?? .null),
            ("nearM", distances.map { .number($0.lowerBound) } ?? .null),
            ("farM", distances.map { .number($0.upperBound) } ?? .null),
            ("metresPerCount", metresPerCount.map { .number($0) } ?? .null),
            ("filtered", isFiltered.map { .bool($0) } ?? .null), ("intrinsics", intrinsics?.object ?? .null),
        ])
    }

    /// Indented like the other lines of a picture's report.
    var lines: [String] {
        let what = form == .png ? "is a depth map" : "with a depth map"
        let measures = size.map { " of \($0)" } ?? ""
        let depth = bits.map { " in \($0) bits" } ?? ""
        let range = distances.map { ", \(fixed($0.lowerBound, 2)) to \(fixed($0.upperBound, 2)) m" } ?? unknownRange
        let treatment = isFiltered.map { $0 ? ", filtered" : ", as it was measured" } ?? ""
        let lens = intrinsics.map { lens in
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
        .object([
            ("width", JSON(size.width)), ("height", JSON(size.height)), ("fx", .number(fx)), ("fy", .number(fy)),
            ("cx", .number(cx)), ("cy", .number(cy)), ("distortion", model.map { .string($0.rawValue) } ?? .null),
            ("coefficients", .array(coefficients.map { .number($0) })),
        ])
    }
}
