// SPDX-License-Identifier: MIT
// Makes one kind of picture of planes.

import LivecapFrames
import LivecapJPEG

/// Makes one kind of picture: draws its planes, and packs or encodes them where it has none itself. Used by one thread.
final class PicturePainter {
    private let format: FrameFormat
    private let components: [Component]
    private let packer: PicturePacker?
    /// Where planes are drawn that are not the picture's own.
    private let scratch: UnsafeMutableRawBufferPointer
    /// Draws the date, if pictures have one.
    private var stamp: DateStamp?
    /// Which levels of the planes stand for black and white.
    private let range: Colorimetry.Range

    private struct Component {
        /// Nil if frames have no colours.
        let node: PlaneNode?
        /// The frame's plane.
        let source: Plane
        /// Where it is in the picture, or in `scratch`.
        let target: Plane
        /// The first sample that is drawn: others are bars.
        let start: Int
        /// How many pixels of the picture share a sample.
        let shared: (across: Int, down: Int)
    }

    /// `node` finds a plane that is already part of another picture, or adds one.
    init(
        _ format: FrameFormat, settings: PictureSettings, geometry: PictureGeometry, planar: PlanarConverter,
        clock: FrameClock,
        node: (PlaneKey, _ make: () -> PlaneNode) -> PlaneNode
    ) {
        self.format = format
        let packer = PicturePacker(format, settings.format, from: planar.colorimetry)
        let targets = packer?.planes ?? format.planes
        let range = packer?.range ?? format.colorimetry.range
        components = targets.indices.map { component in
            let shared = component == 0 ? (1, 1) : packer?.shared ?? (2, 2)
            let place = geometry.place.shared(shared.0, shared.1)
            let target = targets[component]
            let start = target.offset + place.y * target.stride + place.x
            guard component < planar.planes.count else {
                return Component(
                    node: nil, source: planar.planes[0], target: target, start: start, shared: shared)
            }
            let source = planar.planes[component]
            let chroma = planar.sampling.shared ?? (1, 1), own = component == 0 ? (across: 1, down: 1) : chroma
            let key = PlaneKey(
                component: component, part: geometry.part, mount: geometry.mount,
                size: FrameSize(width: place.width, height: place.height), range: range)
            let found = node(key) {
                PlaneNode(
                    key, of: source.rowBytes, source.rows,
                    shared: (Double(own.across * planar.shrink), Double(own.down * planar.shrink)),
                    from: planar.colorimetry.range)
            }
            return Component(node: found, source: source, target: target, start: start, shared: shared)
        }
        self.packer = packer
        self.range = range
        stamp = geometry.stamp(settings.view.date, of: clock)
        scratch = .allocate(byteCount: packer == nil ? 1 : targets.map(\.end).max() ?? 1, alignment: 64)
        if packer != nil { Self.clear(scratch, planes: targets, range: range) }
    }

    deinit { scratch.deallocate() }

    /// Makes the picture of a frame's planes. Returns the number of its bytes, nil if JPEG cannot be encoded. `time` is
    /// the frame's: without it, no date is drawn.
    func paint(
        _ samples: UnsafePointer<UInt8>, into memory: UnsafeMutableRawBufferPointer, at time: Timestamp?
    ) -> Int? {
        let planes = (packer == nil ? memory : scratch).assumingMemoryBound(to: UInt8.self).baseAddress!
        for component in components {
            component.node?.draw(
                PlaneSource(start: samples + component.source.offset, stride: component.source.stride),
                to: planes + component.start, stride: component.target.stride, isKept: stamp == nil)
        }
        if let time { drawDate(of: time, into: planes) }
        guard let packer else { return format.byteCount }
        return packer.pack(planes, into: memory)
    }

    /// Draws the date over everything else.
    private func drawDate(of time: Timestamp, into planes: UnsafeMutablePointer<UInt8>) {
        guard stamp != nil else { return }
        stamp?.show(time)
        let white: UInt8 = range == .limited ? 235 : 255
        let black: UInt8 = range == .limited ? 16 : 0
        for (index, component) in components.enumerated() {
            stamp?.draw(
                into: StampedPlane(
                    planes + component.target.offset, stride: component.target.stride, shared: component.shared,
                    ink: index == 0 ? white : 128, outline: index == 0 ? black : 128))
        }
    }

    /// Makes a picture black, and what is no picture yet neutral.
    static func clear(_ memory: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
        switch format.pixelFormat.samples?.packing {
        case .planes: clear(memory, planes: format.planes, range: format.colorimetry.range)
        // All others are packed as a whole.
        default: memory.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    private static func clear(_ memory: UnsafeMutableRawBufferPointer, planes: [Plane], range: Colorimetry.Range) {
        for (component, plane) in planes.enumerated() {
            let level: UInt8 = component > 0 ? 128 : range == .limited ? 16 : 0
            UnsafeMutableRawBufferPointer(rebasing: memory[plane.offset..<min(plane.end, memory.count)])
                .initializeMemory(as: UInt8.self, repeating: level)
        }
    }
}
