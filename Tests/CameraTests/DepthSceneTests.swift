// SPDX-License-Identifier: MIT
// The scene whose distances are known: its truth, its sensor's faults, and its frames.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct DepthSceneTests {
    private let size = FrameSize(width: 200, height: 150)

    private func frame(_ scene: DepthScene, _ sensor: DepthSensor, _ number: Int = 0, at time: Double = 0) -> [UInt16] {
        DepthMeter(scene, sensor).frame(number, at: time)
    }

    @Test func withoutFaultsFramesAreTheTruth() {
        let scene = DepthScene(seed: 1, size: size), truth = scene.truth(at: 0.7)
        #expect(frame(scene, DepthSensor(strength: 0), at: 0.7) == truth.map { DepthUnit.millimetre.count(Double($0)) })
    }

    @Test func everythingFollowsFromSeedTimeAndPlace() {
        let scene = DepthScene(seed: 1, size: size), again = DepthScene(seed: 1, size: size)
        #expect(frame(scene, DepthSensor(), 3, at: 0.1) == frame(again, DepthSensor(), 3, at: 0.1))
        #expect(scene.luma(at: 1.5) == again.luma(at: 1.5))
        let others = [
            DepthScene(seed: 2, size: size).truth(at: 0), DepthScene(seed: 1, size: size, baseline: 0.05).truth(at: 0),
            scene.truth(at: 0.5),
        ]
        #expect(others.allSatisfy { $0 != scene.truth(at: 0) })
        #expect(frame(scene, DepthSensor(), 3) != frame(scene, DepthSensor(), 4))
    }

    @Test("A camera to the right sees a point farther left, by focal length times distance over depth")
    func parallax() {
        let left = DepthScene(seed: 3, size: size), right = DepthScene(seed: 3, size: size, baseline: 0.05)
        let (a, b) = (left.truth(at: 1), right.truth(at: 1))
        let (lightA, lightB) = (left.luma(at: 1), right.luma(at: 1))
        var seen = 0, same = 0, light = 0
        for y in 0..<size.height {
            for x in 40..<size.width {
                let index = y * size.width + x
                let place = x - Int((left.focalLength * 0.05 / Double(a[index])).rounded())
                let other = y * size.width + place
                seen += 1
                guard abs(a[index] - b[other]) < 0.06 else { continue }
                same += 1
                if abs(Int(lightA[index]) - Int(lightB[other])) < 16 { light += 1 }
            }
        }
        // The rest is seen by one of them only.
        #expect(
            Double(same) > 0.93 * Double(seen) && Double(light) > 0.97 * Double(same), "\(same), \(light) of \(seen)")
    }

    @Test("Noise grows with the square of the distance")
    func noise() {
        let scene = DepthScene(seed: 4, size: size), truth = scene.truth(at: 0)
        var sensor = DepthSensor()
        sensor.raggedness = 0
        var squares = [0.0, 0], counts = [0, 0]
        for number in 0..<4 {
            for (index, count) in frame(scene, sensor, number).enumerated() where count > 0 {
                let depth = Double(truth[index]), band = depth > 3.9 ? 0 : depth < 2 ? 1 : nil
                guard let band else { continue }
                let error = (Double(count) / 1000 - depth) / (depth * depth)
                squares[band] += error * error
                counts[band] += 1
            }
        }
        for band in 0...1 {
            let deviation = (squares[band] / Double(counts[band])).squareRoot()
            #expect(counts[band] > 5000 && abs(deviation - 0.0025) < 0.0001, "\(deviation)")
        }
    }

    @Test("What is dark, and what one of two imagers does not see, has no depth")
    func holes() {
        let scene = DepthScene(seed: 5, size: size), truth = scene.truth(at: 0), luma = scene.luma(at: 0)
        let depth = frame(scene, DepthSensor())
        let dark = depth.indices.filter { luma[$0] < 40 }
        #expect(dark.count > 100 && dark.filter { depth[$0] == 0 }.count > dark.count / 2)
        // On the left of the near board on the right, the wall is in its shadow, on its right it is not.
        var shadow = 0, open = 0
        let y = size.height * 2 / 5
        for row in y..<y + 10 {
            for x in 1..<size.width - 1 {
                let at = row * size.width + x
                if truth[at] > 3.9, truth[at + 1] < 2.2 { shadow += depth[at] == 0 ? 1 : -1 }
                if truth[at] > 3.9, truth[at - 1] < 2.2 { open += depth[at] == 0 ? 1 : -1 }
            }
        }
        #expect(shadow > 5 && open < -5, "\(shadow), \(open)")
    }

    @Test("Frames of every format of depth cameras, from the scene's own camera", arguments: PixelFormat.ofDepthCameras)
    func streams(_ pixelFormat: PixelFormat) throws {
        let settings = try SyntheticSettings("depth:seed=6,frames=3")
        let scene = try SyntheticScene(settings, size: size, rate: FrameRate(30))
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let frames = try runScene("\(settings)", pixelFormat, size: size)
        #expect(frames.count == 3 && format.problem == nil)
        for (number, frame) in frames.enumerated() {
            #expect(frame.bytes == scene.bytes(ofFrame: number, format: format, isNoisy: true))
            let mark = try numberShown(frame.bytes, pixelFormat, size)
            #expect(mark == (pixelFormat == .cnf4 ? nil : UInt32(number)))
        }
    }

    @Test("Frames drawn before the start are the same", arguments: [PixelFormat.z16, .cnf4])
    func prerendered(_ pixelFormat: PixelFormat) throws {
        let scene = "depth:seed=8,frames=3,mark=no"
        let drawn = try runScene(scene, pixelFormat, size: size)
        let before = try runScene(scene + ",prerender=3", pixelFormat, size: size)
        #expect(drawn.map(\.bytes) == before.map(\.bytes))
    }

    @Test func confidenceIsNoneWhereThereIsNoDepth() throws {
        let odd = FrameSize(width: 67, height: 49)
        let scene = try SyntheticScene(SyntheticSettings("depth:mark=no"), size: odd, rate: FrameRate(30))
        func bytes(_ format: PixelFormat) -> [UInt8] {
            scene.bytes(ofFrame: 2, format: FrameFormat(pixelFormat: format, size: odd), isNoisy: true)
        }
        let depth = bytes(.z16), both = bytes(.inzi), confidence = bytes(.cnf4)
        #expect(Array(both[depth.count...]) == depth)
        for y in 0..<odd.height {
            for x in 0..<odd.width {
                let at = 2 * (y * odd.width + x)
                let half = confidence[y * 34 + x / 2] >> (x % 2 == 0 ? 0 : 4) & 15
                #expect((half == 0) == (depth[at] == 0 && depth[at + 1] == 0))
                #expect(both[at + 1] < 4)
            }
        }
    }

    @Test func itsColoursAreThoseOfTheRoom() throws {
        let scene = try SyntheticScene(SyntheticSettings("depth:seed=7,mark=no"), size: size, rate: FrameRate(30))
        let bytes = scene.bytes(ofFrame: 15, format: FrameFormat(pixelFormat: .grey, size: size))
        let luma = try #require(scene.room).luma(at: 0.5)
        // Luma of linear light is not that of encoded colours.
        #expect(zip(bytes, luma).filter { abs(Int($0) - Int($1)) < 30 }.count > size.area * 95 / 100)
    }

    @Test(arguments: ["depth:motion=mild", "depth:camera=laptop", "depth:rotation=1", "tripod:baseline=0.1"])
    func settingsOfOtherScenesAreRefused(_ text: String) throws {
        let settings = try SyntheticSettings(text)
        #expect(throws: CameraError.self) { try SyntheticScene(settings, size: size, rate: FrameRate(30)) }
        #expect(try SyntheticSettings("\(settings)") == settings)
    }

    @Test func otherScenesHaveNoDepth() throws {
        let settings = try SyntheticSettings("tripod")
        #expect(throws: CameraError.self) { try SyntheticCamera(settings, pixelFormat: .z16, size: size) }
        #expect(throws: CameraError.self) { try SyntheticSettings("depth:baseline=2") }
    }
}
