// SPDX-License-Identifier: MIT
// Makes pictures of several kinds of each frame, and does what they have in common once.

import LivecapFrames

/// Makes pictures of several kinds of the frames of one format. A frame is decoded once; planes that pictures share are
/// drawn once; and smaller planes are made of larger ones where those show the same. Used by one thread.
///
/// ```swift
/// guard converter.take(frame) else { return }
/// for index in converter.order { converter.draw(index, into: buffers[index]) }
/// ```
///
/// After its first frame of a size, it allocates nothing, except for what the JPEG codec does.
package final class PictureConverter {
    /// The format of each kind of picture. `byteCount` is the maximum for JPEG.
    package let formats: [FrameFormat]
    /// The kinds from the largest to the smallest: drawn in this order, they share most.
    package let order: [Int]

    private let frames: FrameFormat
    private let clock: FrameClock
    private let settings: [PictureSettings]
    private let geometries: [PictureGeometry]
    private let reader: PlaneReader
    /// What the first frame that can be decoded determines, by how much frames are shrunk.
    private var prepared: [Int: Prepared] = [:]
    /// The one for the frame that was taken.
    private var current: Prepared?

    private struct Prepared {
        let planar: PlanarConverter
        let nodes: [PlaneNode]
        let painters: [PicturePainter]
        /// Those of `painters` whose pictures have more bits than planes.
        let fine: [Int: FinePlanes]
    }

    /// Creates a converter that makes a picture for each of `settings`. JPEG frames of the stream of `planes` are
    /// decoded together with its other readers. `clock` is that of the frames.
    /// - Throws: `unreadable`, `badSize`, `badQuality`.
    package init(
        _ frames: FrameFormat, _ settings: [PictureSettings], of planes: SharedPlanes? = nil,
        clock: FrameClock = .machine
    ) throws(PictureError) {
        var formats: [FrameFormat] = []
        for kind in settings { formats.append(try kind.pictures(of: frames)) }
        // Formats that no converter reads are found now.
        if !frames.pixelFormat.isJPEG { _ = try PlanarConverter(frames, first: RawSpan()) }
        self.frames = frames
        self.clock = clock
        self.settings = settings
        self.formats = formats
        let geometries = settings.map { PictureGeometry($0, of: frames.size) }
        self.geometries = geometries
        reader = PlaneReader(shrunkBy: Self.shrink(of: frames, for: geometries), of: planes)
        order = formats.indices.sorted { (formats[$0].size.area, $1) > (formats[$1].size.area, $0) }
    }

    /// Makes a picture of a format black. Done once with memory that only pictures of one kind are drawn into: drawing
    /// leaves black bars as they are.
    package static func clear(_ memory: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
        PicturePainter.clear(memory, format)
    }

    /// The JPEG frames that follow are of the stream of `planes`.
    package func follow(_ planes: SharedPlanes?) {
        current = nil
        reader.follow(planes)
    }

    /// Takes the next frame, to draw the kinds of picture that are `wanted`. Returns false if it cannot be decoded;
    /// nothing can be drawn then. One without an `id` is not shared with other readers of its stream.
    package func take(
        _ frame: RawSpan, _ id: FrameID? = nil, for wanted: (Int) -> Bool = { _ in true }
    ) -> Bool {
        let shrink = reader.shrink(of: id)
        if prepared[shrink] == nil { prepared[shrink] = prepare(frame, shrunkBy: shrink) }
        current = prepared[shrink]
        guard let prepared = current else { return false }
        for node in prepared.nodes { node.forget() }
        guard prepared.planar.convert(frame, id) else {
            current = nil
            return false
        }
        for (index, fine) in prepared.fine where wanted(index) { fine.take(frame) }
        return true
    }

    /// Draws a picture of the frame that was taken into memory of at least `formats[index].byteCount` bytes, and
    /// returns the number of its bytes. The memory must stay as it is until the next frame is taken, because other
    /// pictures may be made of it. Returns nil if JPEG cannot be encoded. `time` is the frame's: without it, no date is
    /// drawn.
    package func draw(
        _ index: Int, into memory: UnsafeMutableRawBufferPointer, at time: Timestamp? = nil
    ) -> Int? {
        precondition(memory.count >= formats[index].byteCount, "memory for the picture")
        guard let prepared = current else { return nil }
        if let fine = prepared.fine[index] { return fine.draw(into: memory, at: time) }
        return prepared.planar.withSamples { samples in
            prepared.painters[index].paint(
                samples.assumingMemoryBound(to: UInt8.self).baseAddress!, into: memory, at: time)
        }
    }

    private func prepare(_ frame: RawSpan, shrunkBy shrink: Int) -> Prepared? {
        guard let planar = (try? PlanarConverter(frames, first: frame, shrunkBy: shrink, by: reader)) ?? nil else {
            return nil
        }
        var nodes: [PlaneKey: PlaneNode] = [:]
        // The order decides which planes are there when others are drawn.
        var all: [PlaneNode] = []
        var painters: [Int: PicturePainter] = [:]
        for index in order {
            painters[index] = PicturePainter(
                formats[index], settings: settings[index], geometry: geometries[index], planar: planar, clock: clock
            ) { key, make in
                if let node = nodes[key] { return node }
                let node = make()
                for other in all { node.mayFollow(other) }
                nodes[key] = node
                all.append(node)
                return node
            }
        }
        var fine: [Int: FinePlanes] = [:]
        for index in order {
            let stamp = geometries[index].stamp(settings[index].view.date, of: clock)
            fine[index] = FinePlanes(frames, formats[index], geometries[index], stamp: stamp)
        }
        return Prepared(planar: planar, nodes: all, painters: formats.indices.map { painters[$0]! }, fine: fine)
    }

    /// By how much frames can be shrunk before any picture is made of them.
    private static func shrink(of frames: FrameFormat, for geometries: [PictureGeometry]) -> Int {
        guard frames.pixelFormat.isJPEG else { return 1 }
        return [8, 4, 2].first { shrink in
            geometries.allSatisfy { geometry in
                let place = geometry.place
                let (width, height) =
                    geometry.isOnItsSide ? (place.height, place.width) : (place.width, place.height)
                return geometry.part.width >= Double(width * shrink) && geometry.part.height >= Double(height * shrink)
            }
        } ?? 1
    }
}
