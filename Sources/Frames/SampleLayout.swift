// SPDX-License-Identifier: MIT
// How the samples of an uncompressed pixel format lie in memory.

/// How the samples of an uncompressed format lie in memory: what they mean, how many bits they have, and where each
/// component's are. A plain value: passing it around costs no reference counting.
package struct SampleLayout: Sendable {
    /// What the components are.
    package enum Model: Hashable, Sendable {
        /// Brightness only.
        case grey
        /// Y', Cb, Cr.
        case yCbCr
        /// R', G', B'.
        case rgb
    }

    /// How samples are packed: what unpacking them into planes takes.
    package enum Packing: Hashable, Sendable {
        /// Each component has a plane of its own.
        case planes
        /// A plane of Y', and a plane of Cb and Cr in turn.
        case chromaPairs
        /// Y' and chroma in turn, each chroma sample for two pixels.
        case lumaAndChroma
        /// Red, green and blue of one pixel after another.
        case pixels
    }

    /// Where the samples of one component lie.
    package struct Component: Hashable, Sendable {
        /// The plane, as an index of `FrameFormat.planes`.
        package let plane: Int
        /// The offset of the first sample within a row, in bytes.
        package let offset: Int
        /// Bytes from one sample to the next.
        package let step: Int
        /// The number of pixels in a row that share a sample.
        package let across: Int
        /// The number of rows that share a sample.
        package let down: Int

        init(plane: Int = 0, _ offset: Int = 0, step: Int, across: Int = 1, down: Int = 1) {
            self.plane = plane
            self.offset = offset
            self.step = step
            self.across = across
            self.down = down
        }
    }

    /// What the components are.
    package let model: Model
    /// How samples are packed.
    package let packing: Packing
    /// Significant bits per sample: 8 in a byte, more in a little-endian word of 16 bits.
    package let bits: Int
    /// The number of zero bits below the significant ones.
    package let shift: Int
    /// Whether the plane of Cr comes before that of Cb in memory.
    let isCrPlaneFirst: Bool
    private let all: InlineArray<3, Component>

    /// One for grey, else three: Y', Cb and Cr, or R', G' and B'.
    package var components: [Component] { (0..<componentCount).map { all[$0] } }
    /// The number of components.
    package var componentCount: Int { model == .grey ? 1 : 3 }
    /// A component: Y' or R' first.
    package func component(_ index: Int) -> Component { all[index] }
    /// Planes of a frame.
    package var planeCount: Int { max(all[0].plane, all[1].plane, all[2].plane) + 1 }
    /// The number of pixels that share a sample of the second and third component, across and down.
    package var subsampling: (across: Int, down: Int) { (all[1].across, all[1].down) }

    private init(
        _ model: Model, packing: Packing, first: Component, second: Component, third: Component, bits: Int = 8,
        shift: Int = 0, isCrPlaneFirst: Bool = false
    ) {
        self.model = model
        self.packing = packing
        self.bits = bits
        self.shift = shift
        self.isCrPlaneFirst = isCrPlaneFirst
        all = [first, second, third]
    }

    /// Two pixels in four bytes, with the offsets of the first Y', Cb and Cr within them.
    static func packed422(luma: Int, cb: Int, cr: Int) -> SampleLayout {
        SampleLayout(
            .yCbCr, packing: .lumaAndChroma, first: Component(luma, step: 2), second: Component(cb, step: 4, across: 2),
            third: Component(cr, step: 4, across: 2))
    }

    /// A plane of Y' and a plane of chroma pairs. Each chroma sample covers `across` by `down` pixels.
    static func semiPlanar(
        across: Int = 2, down: Int, crFirst: Bool = false, bits: Int = 8, shift: Int = 0
    ) -> SampleLayout {
        let size = bits > 8 ? 2 : 1, (cb, cr) = crFirst ? (size, 0) : (0, size)
        return SampleLayout(
            .yCbCr, packing: .chromaPairs, first: Component(step: size),
            second: Component(plane: 1, cb, step: 2 * size, across: across, down: down),
            third: Component(plane: 1, cr, step: 2 * size, across: across, down: down), bits: bits, shift: shift)
    }

    /// Three planes. Each chroma sample covers `across` by `down` pixels.
    static func planar(across: Int = 2, down: Int, crFirst: Bool = false) -> SampleLayout {
        SampleLayout(
            .yCbCr, packing: .planes, first: Component(step: 1),
            second: Component(plane: 1, step: 1, across: across, down: down),
            third: Component(plane: 2, step: 1, across: across, down: down), isCrPlaneFirst: crFirst)
    }

    /// One sample per pixel.
    static func grey(bits: Int = 8) -> SampleLayout {
        let luma = Component(step: bits > 8 ? 2 : 1)
        return SampleLayout(.grey, packing: .planes, first: luma, second: luma, third: luma, bits: bits)
    }

    /// Three bytes per pixel, with the offsets of red and blue within them.
    static func rgb(red: Int, blue: Int) -> SampleLayout {
        SampleLayout(
            .rgb, packing: .pixels, first: Component(red, step: 3), second: Component(1, step: 3),
            third: Component(blue, step: 3))
    }

    /// How samples of a component become 8-bit codes: times `scale`, plus `offset`. In full range, the brightest sample
    /// is 255 whatever the number of bits; in limited range, more bits only add fractions.
    package func codes(ofComponent index: Int, _ range: Colorimetry.Range) -> (scale: Double, offset: Double) {
        guard range == .full else { return (1 / Double(1 << (bits - 8)), 0) }
        let scale = 255 / Double(1 << bits - 1), isChroma = model == .yCbCr && index > 0
        return (scale, isChroma ? 128 - scale * Double(1 << (bits - 1)) : 0)
    }

    /// Bytes in an unpadded row of a plane, with whole groups of samples.
    func rowBytes(ofPlane plane: Int, width: Int) -> Int {
        var bytes = 0
        for index in 0..<componentCount where all[index].plane == plane {
            bytes = max(bytes, saturatingProduct(all[index].step, ceilDivide(width, all[index].across)))
        }
        return bytes
    }
}

/// The samples of one component in frames of a format.
package struct SampleGrid: Sendable {
    /// Samples in a row.
    package let columns: Int
    /// Rows of samples.
    package let rows: Int
    /// The number of pixels in a row that share a sample.
    package let across: Int
    /// The number of rows that share a sample.
    package let down: Int
    /// Bytes from one sample to the next in a row.
    package let step: Int
    /// Bytes from one row to the next.
    package let stride: Int
    /// Significant bits per sample.
    package let bits: Int
    /// Bytes per sample.
    package var sampleBytes: Int { isWide ? 2 : 1 }
    private var isWide: Bool { bits > 8 }
    private let start: Int
    private let shift: Int

    /// The samples of component `index` of `samples`, the layout of `format`.
    package init(_ format: FrameFormat, _ samples: SampleLayout, _ index: Int) {
        let component = samples.component(index)
        // The first plane is not looked up, because that would allocate, and marks are drawn on the frame path.
        let plane =
            component.plane == 0
            ? Plane(
                offset: 0, stride: format.bytesPerLine, rowBytes: 0,
                rows: ceilDivide(format.size.height, component.down))
            : format.planes[component.plane]
        across = component.across
        down = component.down
        step = component.step
        columns = ceilDivide(format.size.width, across)
        rows = plane.rows
        start = plane.offset + component.offset
        stride = plane.stride
        bits = samples.bits
        shift = samples.shift
    }

    /// The grids of all components: one of grey, or three. Empty if the format is compressed or unknown.
    package static func all(of format: FrameFormat) -> [SampleGrid] {
        guard let samples = format.pixelFormat.samples else { return [] }
        return (0..<samples.componentCount).map { SampleGrid(format, samples, $0) }
    }

    /// The offset in bytes of the sample in column `x` of row `y`.
    package func offset(_ x: Int, _ y: Int) -> Int { start + y * stride + x * step }

    /// The sample in column `x` of row `y`, from 0 to `1 << bits - 1`. The caller has checked the frame's length.
    package func sample(_ x: Int, _ y: Int, in frame: RawSpan) -> Int {
        let offset = offset(x, y)
        guard isWide else { return Int(frame.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) }
        return decoded(frame.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The same for memory given by its first byte.
    package func sample(_ x: Int, _ y: Int, in frame: UnsafeRawPointer) -> Int {
        let offset = offset(x, y)
        guard isWide else { return Int(frame.load(fromByteOffset: offset, as: UInt8.self)) }
        return decoded(frame.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Stores a sample of up to `bits` bits.
    package func store(_ sample: Int, _ x: Int, _ y: Int, into frame: UnsafeMutableRawPointer) {
        let offset = offset(x, y)
        if isWide {
            let word = UInt16(truncatingIfNeeded: sample << shift).littleEndian
            frame.storeBytes(of: word, toByteOffset: offset, as: UInt16.self)
        } else {
            frame.storeBytes(of: UInt8(truncatingIfNeeded: sample), toByteOffset: offset, as: UInt8.self)
        }
    }

    private func decoded(_ word: UInt16) -> Int {
        (Int(UInt16(littleEndian: word)) >> shift) & (1 << bits - 1)
    }
}
