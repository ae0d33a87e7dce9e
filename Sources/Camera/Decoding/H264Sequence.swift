// SPDX-License-Identifier: MIT
// What the parameters of an H.264 stream say of showing its pictures: their size, and whether they come in order.

import LivecapFrames

/// A sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1).
package struct H264Sequence: Hashable, Sendable {
    /// The size of what is shown of a picture.
    package private(set) var size = FrameSize(width: 0, height: 0)
    /// Whether the stream excludes pictures out of order. Decoders then show each at once; else they keep some.
    package private(set) var isInOrder = false
    /// Whether pictures are whole frames with chroma 4:2:0 and 8 bits, as every browser decodes them.
    package private(set) var isUsual = false

    /// Whether all sets in a byte stream are for usual pictures of one size, in order, and there is at least one.
    /// Accepts any bytes, and allocates nothing.
    package static func isShownAtOnce(_ stream: UnsafeRawBufferPointer, size: FrameSize) -> Bool {
        var units = VideoUnits(stream)
        var hasSet = false
        while let unit = units.next() {
            guard unit.bytes[0] & 0x1F == 7 else { continue }
            guard let set = H264Sequence(unit), set.isInOrder, set.isUsual, set.size == size else { return false }
            hasSet = true
        }
        return hasSet
    }

    /// Reads the first set in a byte stream. Nil if there is none, or if it is cut short or has impossible values.
    package init?(in stream: UnsafeRawBufferPointer) {
        var units = VideoUnits(stream)
        while let unit = units.next() {
            guard unit.bytes[0] & 0x1F == 7 else { continue }
            self.init(unit)
            return
        }
        return nil
    }

    init?(_ unit: VideoUnit) {
        var bits = UnitBits(unit, from: 1)
        guard let profile = bits.byte(), bits.skip(bytes: 2), bits.number() != nil,
            let samples = Self.samples(&bits, profile), bits.skip(numbers: 1),
            let order = Self.order(&bits), bits.skip(numbers: 1), bits.skip(bits: 1),
            let shape = Self.shape(&bits, isMonochrome: samples == .monochrome), let hasUsability = bits.bit()
        else { return nil }
        size = shape.size
        isUsual = samples == .usual && shape.isProgressive
        // What the stream says of itself counts more than what follows from its kind.
        isInOrder = profile == Self.baseline || order == Self.asDecoded
        guard hasUsability == 1 else { return }
        guard let reordered = Self.reordered(&bits) else { return nil }
        if case .pictures(let count) = reordered { isInOrder = count == 0 }
    }

    /// The profile without pictures that build on later ones.
    private static let baseline: UInt8 = 66
    /// The kind of order in which pictures are shown as they are decoded.
    private static let asDecoded: UInt32 = 2

    // MARK: Samples

    private enum Samples { case usual, monochrome, other }

    /// Profiles that say which samples they have.
    private static func hasSamples(_ profile: UInt8) -> Bool {
        [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244].contains(profile)
    }

    private static func samples(_ bits: inout UnitBits, _ profile: UInt8) -> Samples? {
        guard hasSamples(profile) else { return .usual }
        guard let chroma = bits.number(), chroma < 4, chroma != 3 || bits.bit() != nil, let luma = bits.number(),
            let chromaDepth = bits.number(), bits.skip(bits: 1), let hasLists = bits.bit()
        else { return nil }
        if hasLists == 1 {
            for index in 0..<(chroma == 3 ? 12 : 8) {
                guard let isPresent = bits.bit() else { return nil }
                guard isPresent == 0 || skipList(&bits, count: index < 6 ? 16 : 64) else { return nil }
            }
        }
        if chroma == 0 { return .monochrome }
        return chroma == 1 && luma == 0 && chromaDepth == 0 ? .usual : .other
    }

    /// A list of scales: differences, up to one that makes the scale 0.
    private static func skipList(_ bits: inout UnitBits, count: Int) -> Bool {
        var scale = 8
        for _ in 0..<count {
            guard let code = bits.number() else { return false }
            // Signed numbers: 0, 1, -1, 2, -2, ... Only the lowest bits count.
            let difference = code % 2 == 1 ? Int(code / 2) + 1 : -Int(code / 2)
            scale = (scale + difference) & 0xFF
            if scale == 0 { return true }
        }
        return true
    }

    // MARK: Order and shape

    /// The kind of order in which pictures are shown.
    private static func order(_ bits: inout UnitBits) -> UInt32? {
        guard let kind = bits.number(), kind < 3 else { return nil }
        switch kind {
        case 0: return bits.skip(numbers: 1) ? kind : nil
        case 1:
            guard bits.skip(bits: 1), bits.skip(numbers: 2), let cycle = bits.number(), cycle < 256 else { return nil }
            return bits.skip(numbers: Int(cycle)) ? kind : nil
        default: return kind
        }
    }

    /// Blocks of 16 samples; larger pictures than 32 Ki are none.
    private static let mostBlocks: UInt32 = 2048

    private static func shape(
        _ bits: inout UnitBits, isMonochrome: Bool
    ) -> (size: FrameSize, isProgressive: Bool)? {
        guard let columns = bits.number(), columns < mostBlocks, let rows = bits.number(), rows < mostBlocks,
            let isProgressive = bits.bit(), isProgressive == 1 || bits.skip(bits: 1), bits.skip(bits: 1),
            let isCropped = bits.bit()
        else { return nil }
        let fields = isProgressive == 1 ? 1 : 2
        var width = Int(columns + 1) * 16
        var height = Int(rows + 1) * 16 * fields
        if isCropped == 1 {
            guard let left = bits.number(), let right = bits.number(), let top = bits.number(),
                let bottom = bits.number()
            else { return nil }
            // In samples of chroma, which the usual pictures have half of.
            let unit = isMonochrome ? 1 : 2
            width -= (Int(left) + Int(right)) * unit
            height -= (Int(top) + Int(bottom)) * unit * fields
        }
        guard width > 0, height > 0 else { return nil }
        return (FrameSize(width: width, height: height), isProgressive == 1)
    }

    // MARK: What decoders need to know beside the pictures (annex E)

    private enum Reordered {
        case unsaid
        case pictures(UInt32)
    }

    private static func reordered(_ bits: inout UnitBits) -> Reordered? {
        guard skipLooks(&bits), let hasTiming = bits.bit(), hasTiming == 0 || bits.skip(bits: 65),
            let hasRates = bits.bit(), hasRates == 0 || skipRates(&bits), let hasOtherRates = bits.bit(),
            hasOtherRates == 0 || skipRates(&bits), hasRates + hasOtherRates == 0 || bits.skip(bits: 1),
            bits.skip(bits: 1), let isLimited = bits.bit()
        else { return nil }
        guard isLimited == 1 else { return .unsaid }
        guard bits.skip(bits: 1), bits.skip(numbers: 4), let count = bits.number() else { return nil }
        return .pictures(count)
    }

    /// The shape of samples, their range and colours.
    private static func skipLooks(_ bits: inout UnitBits) -> Bool {
        guard let hasShape = bits.bit() else { return false }
        if hasShape == 1 {
            guard let shape = bits.bits(8), shape != 255 || bits.skip(bits: 32) else { return false }
        }
        guard let hasOverscan = bits.bit(), hasOverscan == 0 || bits.skip(bits: 1), let hasSignal = bits.bit() else {
            return false
        }
        if hasSignal == 1 {
            guard bits.skip(bits: 4), let hasColours = bits.bit(), hasColours == 0 || bits.skip(bits: 24) else {
                return false
            }
        }
        guard let hasPlace = bits.bit() else { return false }
        return hasPlace == 0 || bits.skip(numbers: 2)
    }

    private static func skipRates(_ bits: inout UnitBits) -> Bool {
        guard let more = bits.number(), more < 32, bits.skip(bits: 8) else { return false }
        for _ in 0...more {
            guard bits.skip(numbers: 2), bits.skip(bits: 1) else { return false }
        }
        return bits.skip(bits: 20)
    }
}
