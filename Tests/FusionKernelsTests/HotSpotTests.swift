// SPDX-License-Identifier: MIT
// Hot pixels: they are taken out where the picture moved, and nothing else is.

import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import Fusion

@Suite struct HotSpotTests {
    private static let (width, height) = (192, 160)
    /// Where the sensor's hot pixels are.
    private static let places = [(40, 30), (100, 41), (61, 90), (150, 120), (90, 130)]

    /// The dot that a camera makes of a hot pixel.
    private static func dot(_ x: Double, _ y: Double, at places: [(Int, Int)]) -> Double {
        places.reduce(0) { sum, place in
            let (dx, dy) = (abs(x - Double(place.0)), abs(y - Double(place.1)))
            return sum + (dx <= 1 && dy <= 1 ? 90 / ((1 + dx) * (1 + dy)) : 0)
        }
    }

    private static func scene(_ x: Double, _ y: Double) -> Double { 0.6 * drawnScene(x, y) }

    /// Frames of a picture that moves by (`across`, `down`) from each to the next, seen with hot pixels.
    private func burst(
        across: Double, down: Double, dots: [(Int, Int)] = places, picture: (Double, Double) -> Double = scene
    ) -> SmallBurst {
        func moved(_ frame: Int, _ x: Double, _ y: Double) -> Double {
            picture(x + across * Double(frame), y + down * Double(frame))
        }
        var burst = SmallBurst(.yuyv, width: Self.width, height: Self.height, count: 8, noise: 2) { frame, x, y in
            moved(frame, x, y) + Self.dot(x, y, at: dots)
        }
        burst.truth = CodePlane(
            width: Self.width, height: Self.height,
            samples: (0..<Self.width * Self.height).map {
                Float(moved(burst.reference, Double($0 % Self.width), Double($0 / Self.width)))
            })
        return burst
    }

    /// The largest error within two samples of a place.
    private func error(_ still: FusedPicture, _ truth: CodePlane, near place: (Int, Int)) -> Float {
        var most: Float = 0
        for y in place.1 - 2...place.1 + 2 {
            for x in place.0 - 2...place.0 + 2 {
                let at = y * Self.width + x
                most = max(most, abs(still.luma.samples[at] - truth.samples[at]))
            }
        }
        return most
    }

    @Test(arguments: [FusionMethod.merge, .balanced, .quality], [(1.3, 0.4), (-0.2, 1.5), (0.9, -1.1)])
    func theyAreTakenOutWhereThePictureMoved(_ method: FusionMethod, _ step: (Double, Double)) throws {
        let burst = burst(across: step.0, down: step.1)
        let (still, report) = try burst.still(Fuser(burst.format, FusionSettings(method)))
        #expect(report.hotPixels == Self.places.count)
        for place in Self.places {
            #expect(error(still, burst.truth, near: place) < 12, "\(place)")
        }
    }

    @Test func whatAStandingCameraSeesIsKept() throws {
        let burst = burst(across: 0, down: 0)
        let (still, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        #expect(report.hotPixels == 0)
        for place in Self.places { #expect(error(still, burst.truth, near: place) > 60, "\(place)") }
    }

    @Test(arguments: [(1.3, 0.4), (12.0, 0.0)])
    func dotsOfThePictureAreKept(_ step: (Double, Double)) throws {
        // Lamps in a row, as far apart as the second of the steps.
        func lamps(_ x: Double, _ y: Double) -> Double {
            let place = ((x / 12).rounded() * 12, (y / 40).rounded() * 40)
            let (dx, dy) = (abs(x - place.0), abs(y - place.1))
            return Self.scene(x, y) + (dx < 1.5 && dy < 1.5 ? 80 : 0)
        }
        let burst = burst(across: step.0, down: step.1, dots: [], picture: lamps)
        let report = try burst.still(Fuser(burst.format, FusionSettings(.merge))).report
        #expect(report.hotPixels == 0)
        try burst.expectNoHarm(by: [.merge, .balanced])
    }
}
