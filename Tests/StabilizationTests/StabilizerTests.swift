// SPDX-License-Identifier: MIT
// What a stabilizer does with its frames, besides steadying them.

import Camera
import Fusion
import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapPictures
import Testing

@testable import LivecapStabilization

struct StabilizerTests {
    private static let size = FrameSize(width: 320, height: 180)

    /// Frames of a scene, without noise.
    private func frames(
        _ settings: String, _ count: Int, _ pixels: PixelFormat = .grey, size: FrameSize = size
    ) throws -> [[UInt8]] {
        let scene = try SyntheticScene(try SyntheticSettings(settings), size: size, rate: FrameRate(30))
        let format = FrameFormat(pixelFormat: pixels, size: size)
        return (0..<count).map { scene.bytes(ofFrame: $0, format: format) }
    }

    /// The pictures of frames, and what they show.
    private func steadied(
        _ frames: [[UInt8]], _ mode: StabilizationMode, _ sampling: PlanarSampling = .grey, size: FrameSize = size,
        begins: Int? = nil
    ) throws -> (views: [AffineMotion], pictures: [[UInt8]]) {
        let stabilizer = try Stabilizer(size, sampling, at: FrameRate(30), mode)
        var (views, pictures) = ([AffineMotion](), [[UInt8]]())
        var picture = [UInt8](repeating: 0, count: stabilizer.byteCount)
        func draw(isOver: Bool) -> Bool {
            guard let view = picture.withUnsafeMutableBytes({ stabilizer.draw(into: $0, isOver: isOver) }) else {
                return false
            }
            views.append(view)
            pictures.append(picture)
            return true
        }
        for (number, frame) in frames.enumerated() {
            stabilizer.add(frame.span.bytes, begins: number == begins)
            _ = draw(isOver: false)
        }
        while draw(isOver: true) {}
        return (views, pictures)
    }

    @Test("Tall frames are turned no farther than can be drawn", arguments: [0, 8])
    func tall(lookAhead: Int) {
        let size = FrameSize(width: 90, height: 400)
        var path = CameraPath(size, lookAhead: lookAhead)
        for number in 0..<30 {
            var turn = AffineMotion(width: size.width, height: size.height)
            turn.yx = number % 2 == 0 ? 0.09 : -0.09
            path.add(number == 0 ? nil : turn)
            guard path.isReady(isOver: false) else { continue }
            let view = path.next()
            #expect(abs(view.yx / (1 + view.xx)) < 1.0 / 16)
        }
    }

    @Test("Nothing beyond a frame's edge is ever shown, however far the camera goes", arguments: ["", ",rotation=3"])
    func edges(_ turn: String) throws {
        // The hand's reach is twice the room that there is.
        var frames = try frames("handheld:motion=64\(turn)", 60)
        let (width, height) = (Self.size.width, Self.size.height)
        for number in frames.indices {
            for place in frames[number].indices {
                let (x, y) = (place % width, place / width)
                let isEdge = min(x, y) < 2 || x >= width - 2 || y >= height - 2
                frames[number][place] = isEdge ? 255 : frames[number][place] / 2
            }
        }
        for mode in [StabilizationMode.standard, .cinematic] {
            let (views, pictures) = try steadied(frames, mode)
            #expect(pictures.count == frames.count)
            // Interpolation may exceed 127 at an edge of the scene.
            #expect(pictures.allSatisfy { $0.max()! < 160 })
            let reach = views.map { max(abs($0.shiftX), abs($0.shiftY)) }.max()!
            #expect(reach > 3, "nothing moved, so nothing was tested")
        }
    }

    @Test("Another scene begins anew, as if there had been none before")
    func cuts() throws {
        let first = try frames("handheld:motion=40,seed=3", 40)
        let second = try frames("handheld:motion=40,seed=8", 40).map { $0.map { 255 - $0 } }
        for mode in [StabilizationMode.standard, .cinematic] {
            let apart = try steadied(first, mode).views + steadied(second, mode).views
            // What is shown tells of the cut, or the caller does.
            #expect(try steadied(first + second, mode).views == apart)
            #expect(try steadied(first + second, mode, begins: 40).views == apart)
        }
    }

    @Test("Pictures in which nothing shows a motion stay where they are")
    func flat() throws {
        var noise: UInt64 = 1
        let frames = (0..<40).map { _ in
            (0..<Self.size.area).map { _ -> UInt8 in
                noise = noise &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(20 + (noise >> 60))
            }
        }
        let views = try steadied(frames, .cinematic).views
        #expect(Set(views).count == 1, "\(views.map(\.shiftX)) \(views.map(\.shiftY))")
    }

    @Test("What moves by itself in front of a camera that stands still moves nothing else")
    func foreground() throws {
        let size = FrameSize(width: 640, height: 360)
        var frames = try frames("tripod", 40, size: size)
        // A striped board, a fifth of the picture, crosses it.
        for number in frames.indices {
            for y in size.height / 4..<size.height * 3 / 4 {
                for x in 0..<size.width * 2 / 5 where x + 6 * number < size.width {
                    frames[number][y * size.width + x + 6 * number] = (x + y) / 24 % 2 == 0 ? 80 : 160
                }
            }
        }
        for mode in [StabilizationMode.standard, .cinematic] {
            let views = try steadied(frames, mode, size: size).views
            #expect(views.allSatisfy { max(abs($0.shiftX), abs($0.shiftY)) < 0.2 }, "\(views.map(\.shiftX))")
        }
    }

    @Test("A path goes with a camera that turns away, and is even")
    func pan() throws {
        // Six pixels a frame, with a tremble of two; half a second after it has begun.
        let wide = FrameSize(width: 1280, height: 180)
        let still = try frames("tripod", 1, size: wide)[0]
        let left = (0..<100).map { 6 * $0 + ($0 % 2 == 0 ? 0 : 2) + ($0 % 3 == 0 ? 0 : 2) }
        let frames = left.map { left in
            (0..<Self.size.area).map { still[$0 / Self.size.width * wide.width + left + $0 % Self.size.width] }
        }
        let views = try steadied(frames, .cinematic).views
        let path = zip(left, views).map { Double($0) + Double($1.shiftX) }
        let steps = zip(path.dropFirst(), path).map { $0 - $1 }[20..<80]
        #expect(steps.allSatisfy { abs($0 - 6) < 0.5 }, "\(steps)")
    }

    @Test("Chroma is moved as brightness is", arguments: [PlanarSampling.s420, .s422, .s444])
    func chroma(_ sampling: PlanarSampling) throws {
        let scene = try frames("handheld:motion=40", 6)
        let planes = sampling.planes(Self.size), shared = sampling.shared!
        // Chroma that is the mean of its brightness, so that both can be compared.
        func chroma(_ luma: [UInt8]) -> [UInt8] {
            (0..<planes[1].rows * planes[1].rowBytes).map { place in
                let (x, y) = (place % planes[1].rowBytes * shared.across, place / planes[1].rowBytes * shared.down)
                let part = (0..<shared.across * shared.down).map { index in
                    Int(luma[(y + index / shared.across) * Self.size.width + x + index % shared.across])
                }
                return UInt8(part.reduce(0, +) / part.count)
            }
        }
        let pictures = try steadied(scene.map { $0 + chroma($0) + chroma($0) }, .standard, sampling).pictures
        let (luma, found) = (Array(pictures[5][..<Self.size.area]), pictures[5][planes[1].offset..<planes[1].end])
        func error(_ expected: [UInt8]) -> Int { zip(expected, found).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
        // Smaller planes are interpolated from fewer samples, which blurs them; a shift by one would be far worse.
        let beside = chroma([luma[0]] + luma.dropLast()), below = chroma(luma[..<Self.size.width] + luma)
        #expect(2 * error(chroma(luma)) < min(error(beside), error(below)))
    }

    @Test func framesTakeNoMemoryOnceItRuns() throws {
        let frames = try frames("handheld:motion=40", 40)
        let stabilizer = try Stabilizer(Self.size, .grey, at: FrameRate(30), .cinematic)
        var picture = [UInt8](repeating: 0, count: stabilizer.byteCount)
        func take(_ numbers: Range<Int>) {
            for number in numbers {
                let frame = frames[number]
                stabilizer.add(frame.span.bytes)
                picture.withUnsafeMutableBytes { _ = stabilizer.draw(into: $0) }
            }
        }
        take(0..<30)
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        take(30..<40)
        lc_probe_stop(&counts)
        guard measured & Int32(LC_PROBE_HEAP) != 0 else {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0)
    }

    /// In frames this large, not every tile is looked at; and where half of the picture moves, several motions are
    /// tried.
    @Test(arguments: [0, 640]) func largeFramesTakeNoMemoryEither(still: Int) throws {
        let size = FrameSize(width: 1280, height: 400), room = size.width + 40
        let texture = (0..<room * size.height).map { UInt8(truncatingIfNeeded: ($0 / 4 &* 2_654_435_761) >> 13) }
        let frames = (0..<8).map { number -> [UInt8] in
            var frame: [UInt8] = []
            for row in 0..<size.height {
                let begin = row * room, moved = begin + still + 4 * number
                frame += texture[begin..<begin + still] + texture[moved..<moved + size.width - still]
            }
            return frame
        }
        let stabilizer = try Stabilizer(size, .grey, at: FrameRate(30), .standard)
        var picture = [UInt8](repeating: 0, count: stabilizer.byteCount)
        func take(_ numbers: Range<Int>) {
            for number in numbers {
                let frame = frames[number]
                stabilizer.add(frame.span.bytes)
                picture.withUnsafeMutableBytes { _ = stabilizer.draw(into: $0) }
            }
        }
        // What is made with the first use of anything.
        take(0..<8)
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        take(0..<8)
        lc_probe_stop(&counts)
        guard measured & Int32(LC_PROBE_HEAP) != 0 else {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0)
    }

    @Test("Every frame comes out, in order, also if fewer come than are looked ahead", arguments: [1, 2, 24, 25, 60])
    func counts(_ count: Int) throws {
        let frames = (1...count).map { [UInt8](repeating: UInt8($0), count: Self.size.area) }
        #expect(try steadied(frames, .cinematic).pictures == frames)
    }
}
