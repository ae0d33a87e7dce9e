// SPDX-License-Identifier: MIT
// What a file says of a depth map besides its samples, as names and values that all formats share.

import LivecapFrames

/// Properties of a depth map in a file. XMP has them as attributes of our own namespace, PNG as text chunks.
struct DepthNotes: Hashable, Sendable {
    /// The distance of a count in metres.
    var metresPerCount: Double
    /// Whether holes were filled or noise was removed.
    var isFiltered: Bool
    /// The nearest and the farthest distance in the map; nil if there are only holes.
    var distances: ClosedRange<Double>?
    /// What the camera claims to measure.
    var reach: ClosedRange<Double>?
    /// The lens.
    var intrinsics: DepthIntrinsics?
    /// The distances of the largest code and of code 0, where samples are codes and not counts.
    var coding: ClosedRange<Double>?

    init(_ depth: DepthMap) {
        metresPerCount = depth.metresPerCount
        isFiltered = depth.isFiltered
        distances = depth.distances
        reach = depth.reach
        intrinsics = depth.intrinsics
    }

    /// Reads what `value` returns for each name; nil without the distance of a count. Accepts any text.
    init?(_ value: (String) -> String?) {
        func numbers(_ name: Name) -> [Double]? { value(name.rawValue).flatMap(Self.numbers) }
        func range(_ name: Name) -> ClosedRange<Double>? {
            guard let ends = numbers(name), ends.count == 2, ends[0] >= 0, ends[0] <= ends[1] else { return nil }
            return ends[0]...ends[1]
        }
        guard let unit = numbers(.metresPerCount), unit.count == 1, unit[0] > 0, unit[0] <= 1000 else { return nil }
        metresPerCount = unit[0]
        isFiltered = value(Name.filtered.rawValue)?.lowercased() == "true"
        distances = range(.distances)
        reach = range(.reach)
        coding = range(.coding)
        intrinsics = Self.intrinsics(value)
    }

    /// The names in files.
    private enum Name: String {
        case metresPerCount = "MetresPerCount"
        case unknown = "Unknown"
        case filtered = "Filtered"
        case distances = "Distances"
        case reach = "Reach"
        case coding = "Coding"
        case pictureSize = "IntrinsicsSize"
        case focalLengths = "FocalLengths"
        case centre = "Centre"
        case model = "DistortionModel"
        case coefficients = "Distortion"
    }

    /// Names and values, in the order in which they are written. None has characters that XML reserves.
    var texts: [(name: String, value: String)] {
        var texts: [(Name, String?)] = [
            (.metresPerCount, "\(metresPerCount)"), (.unknown, "\(DepthMap.unknown)"),
            (.filtered, isFiltered ? "True" : "False"), (.distances, distances.map(Self.text)),
            (.reach, reach.map(Self.text)), (.coding, coding.map(Self.text)),
        ]
        if let lens = intrinsics {
            texts.append((.pictureSize, "\(lens.size)"))
            texts.append((.focalLengths, "\(lens.fx) \(lens.fy)"))
            texts.append((.centre, "\(lens.cx) \(lens.cy)"))
            if let model = lens.model {
                texts.append((.model, model.rawValue))
                texts.append((.coefficients, lens.coefficients.map { "\($0)" }.joined(separator: " ")))
            }
        }
        return texts.compactMap { name, value in value.map { (name.rawValue, $0) } }
    }

    private static func text(_ range: ClosedRange<Double>) -> String { "\(range.lowerBound) \(range.upperBound)" }

    /// Finite numbers with spaces between; nil if it is anything else.
    private static func numbers(_ text: String) -> [Double]? {
        let words = text.prefix(1000).split(separator: " ")
        let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
        return numbers.isEmpty || numbers.count != words.count ? nil : numbers
    }

    private static func intrinsics(_ value: (String) -> String?) -> DepthIntrinsics? {
        func pair(_ name: Name) -> [Double]? {
            value(name.rawValue).flatMap(numbers).flatMap { $0.count == 2 ? $0 : nil }
        }
        guard let size = value(Name.pictureSize.rawValue).flatMap({ FrameSize($0) }), let focal = pair(.focalLengths),
            let centre = pair(.centre)
        else { return nil }
        var lens = DepthIntrinsics(size: size, fx: focal[0], fy: focal[1], cx: centre[0], cy: centre[1])
        if let model = value(Name.model.rawValue).flatMap({ DepthIntrinsics.DistortionModel(rawValue: $0) }),
            let coefficients = value(Name.coefficients.rawValue).flatMap(numbers)
        {
            lens = lens.distorted(model, coefficients)
        }
        return lens.problem == nil ? lens : nil
    }
}

// MARK: XMP

extension DepthNotes {
    /// Identifies the vocabulary; nothing needs to exist at this URI.
    private static let namespace = "urn:livecap:depth:1"

    /// As attributes of an XMP description, with a space before each.
    var attributes: String {
        " xmlns:livecapDepth=\"\(Self.namespace)\""
            + texts.map { " livecapDepth:\($0.name)=\"\($0.value)\"" }.joined()
    }

    /// Reads an XMP packet; nil if it has none.
    init?(xmp packet: [UInt8]) {
        self.init { name in XMPText.value("livecapDepth:" + name, in: packet) }
    }
}
