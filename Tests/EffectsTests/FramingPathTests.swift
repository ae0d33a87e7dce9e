// SPDX-License-Identifier: MIT
// Framing that follows people: it rests while they do, keeps them in the picture, and moves calmly.

import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

@Suite struct FramingPathTests {
    private static let interval = 1.0 / 30

    /// A face with its middle at a place.
    private func face(_ x: Double, _ y: Double = 0.4, height: Double = 0.16) -> Face {
        let width = height * 9 / 16
        return Face(
            origin: PicturePoint(x: Float(x - width / 2), y: Float(y - height / 2)), width: Float(width),
            height: Float(height), confidence: 0.9, landmarks: [])
    }

    /// What is shown of frames in which faces are found in every third.
    private func follow(_ count: Int, _ faces: (Int) -> [Face]) -> [Framing] {
        var path = FramingPath()
        return (0..<count).map { number in
            path.next(number % 3 == 0 ? faces(number) : nil, after: Self.interval, strength: 1)
        }
    }

    @Test func itRestsOnAFaceThatStaysAboutWhereItIs() {
        let shown = follow(300) { number in
            let tremble = [0.004, -0.003, 0.002, -0.005][number / 3 % 4]
            return [face(0.6 + tremble, 0.4 - tremble / 2, height: 0.16 + tremble)]
        }
        #expect(Set(shown[200...]).count == 1)
        #expect(shown.last!.size < 0.6)
        #expect(abs(shown.last!.x - 0.6) < 0.05)
    }

    @Test func aFaceThatWalksStaysInThePicture() {
        let shown = follow(240) { number in [face(0.25 + 0.5 * Double(max(0, number - 90)) / 150)] }
        for (number, framing) in shown.enumerated().dropFirst(60) {
            let x = 0.25 + 0.5 * Double(max(0, number - 90)) / 150
            #expect(abs(x - framing.x) < framing.size / 2 - 0.05, "frame \(number): face at \(x), \(framing)")
        }
    }

    @Test func itMovesWithBoundedSpeedAndAcceleration() {
        let shown = follow(300) { number in [face(number < 150 ? 0.2 : 0.8, height: number < 150 ? 0.12 : 0.25)] }
        let speeds = zip(shown.dropFirst(), shown).map { ($0.x - $1.x) / Self.interval }
        #expect(speeds.allSatisfy { abs($0) <= 0.5 + 1e-9 })
        let changes = zip(speeds.dropFirst(), speeds).map { abs($0 - $1) / Self.interval }
        // At the picture's edge it may stop at once.
        #expect(changes.filter { $0 > 0.8 + 1e-6 }.count <= 4, "\(changes.max()!)")
    }

    @Test func itNeverShowsWhatIsOutsideOfThePicture() {
        let shown = follow(400) { number in [face([0.02, 0.98, 0.5][number / 120 % 3], [0.02, 0.98][number / 70 % 2])] }
        for framing in shown {
            let half = framing.size / 2
            #expect(framing.x - half >= -1e-12 && framing.x + half <= 1 + 1e-12)
            #expect(framing.y - half >= -1e-12 && framing.y + half <= 1 + 1e-12)
        }
    }

    @Test func nobodyIsLeftOut() {
        let shown = follow(200) { _ in [face(0.25), face(0.75)] }.last!
        for x in [0.25, 0.75] { #expect(abs(x - shown.x) < shown.size / 2 - 0.04) }
    }

    @Test func aFaceThatIsOverlookedNowAndThenChangesNothing() {
        let both = follow(300) { _ in [face(0.3), face(0.7)] }.last!
        let flickering = follow(300) { number in number / 3 % 3 == 0 ? [face(0.3)] : [face(0.3), face(0.7)] }
        #expect(Set(flickering[200...]).count == 1)
        #expect(flickering.last == both)
    }

    @Test func aFaceThatIsSeenOnceNowAndThenIsNone() {
        let shown = follow(300) { number in number / 3 % 2 == 0 ? [face(0.2)] : [] }
        #expect(Set(shown) == [.whole])
    }

    @Test func withoutFacesItShowsEverythingAgain() {
        let shown = follow(400) { number in number < 150 ? [face(0.3)] : [] }
        #expect(shown[150].size < 1)
        #expect(shown.last == .whole)
    }
}
