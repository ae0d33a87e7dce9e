// SPDX-License-Identifier: MIT
// Depth maps, lenses, and files of calibrations.

import Foundation
import LivecapFrames
import Testing

@Suite struct DepthMapTests {
    private let lens = DepthIntrinsics(
        size: FrameSize(width: 640, height: 480), fx: 600, fy: 610, cx: 310, cy: 245)

    @Test func holesDoNotCount() {
        let size = FrameSize(width: 2, height: 2)
        let depth = DepthMap(size: size, samples: [0, 400, 3000, 0])
        #expect(depth.range == 400...3000 && depth.distances == 0.4...3 && depth.knownShare == 0.5)
        let holes = DepthMap(size: size, samples: [0, 0, 0, 0])
        #expect(holes.range == nil && holes.distances == nil && holes.knownShare == 0)
    }

    @Test func lensesAreScaledAroundCorners() {
        let half = lens.scaled(to: FrameSize(width: 320, height: 240))
        #expect(half.fx == 300 && half.fy == 305)
        // The left edge of the picture, at -0.5, stays the left edge.
        #expect(half.cx == 310.5 / 2 - 0.5 && half.cy == 245.5 / 2 - 0.5)
        #expect(half.scaled(to: lens.size) == lens)
    }

    @Test func turningTwiceIsNoTurn() {
        let distorted = lens.distorted(.brownConrady, [1, 2, 3, 4, 5])
        #expect(distorted.mirrored.mirrored == distorted && distorted.transposed.transposed == distorted)
        #expect(distorted.mirrored.coefficients == [1, 2, 3, -4, 5])
        #expect(distorted.transposed.coefficients == [1, 2, 4, 3, 5])
        #expect(distorted.transposed.size == FrameSize(width: 480, height: 640))
    }

    @Test func wrongNumbersAreNamed() {
        #expect(lens.problem == nil && lens.distorted(.kannalaBrandt, [0, 0, 0, 0]).problem == nil)
        #expect(lens.distorted(.kannalaBrandt, [0]).problem == "kannalaBrandt has 4 coefficients, not 1")
        var other = lens
        other.fx = 0
        #expect(other.problem == "a focal length is not a positive number")
        other = lens
        other.cy = .nan
        #expect(other.problem == "the centre is not a number")
    }

    @Test func calibrationsAreFiles() throws {
        var calibration = DepthCalibration(camera: "usb-1", depth: lens)
        calibration.color = lens.distorted(.brownConrady, [0.1, 0, 0, 0, 0])
        calibration.rotation = [0, -1, 0, 1, 0, 0, 0, 0, 1]
        calibration.translation = [0.015, 0, 0]
        calibration.metresPerCount = 0.0001
        #expect(calibration.problem == nil)
        let file = try JSONEncoder().encode(calibration)
        #expect(try JSONDecoder().decode(DepthCalibration.self, from: file) == calibration)
        let least = """
            {"camera": "usb-1", "depth": {"size": "640x480", "fx": 600, "fy": 610, "cx": 310, "cy": 245,
             "coefficients": []}}
            """
        let read = try JSONDecoder().decode(DepthCalibration.self, from: Data(least.utf8))
        #expect(read == DepthCalibration(camera: "usb-1", depth: lens))
    }

    @Test func calibrationsAreChecked() {
        var calibration = DepthCalibration(camera: "usb-1", depth: lens)
        // Mirrored, too long, and too few.
        for rotation in [[1, 0, 0, 0, 1, 0, 0, 0, -1], [2, 0, 0, 0, 1, 0, 0, 0, 1], [1, 0, 0]] as [[Double]] {
            calibration.rotation = rotation
            #expect(calibration.problem?.hasPrefix("rotation") == true)
        }
        calibration.rotation = nil
        calibration.translation = [15, 0, 0]
        #expect(calibration.problem == "translation is not three numbers of metres")
        calibration.translation = nil
        calibration.metresPerCount = -1
        #expect(calibration.problem == "metresPerCount is not a positive number")
        calibration = DepthCalibration(camera: "", depth: lens)
        #expect(calibration.problem == "it does not name a camera")
    }
}
