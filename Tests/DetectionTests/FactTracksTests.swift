// SPDX-License-Identifier: MIT
// What is found keeps its number from picture to picture, and eyes are steady.

import LivecapFrames
import Testing

@testable import LivecapDetection

@Suite struct FactTracksTests {
    private func box(_ x: Float, _ y: Float = 0.4, _ side: Float = 0.2) -> PictureBox {
        PictureBox(origin: PicturePoint(x: x, y: y), width: side, height: side)
    }

    @Test func whatMovesKeepsItsNumber() {
        var tracks = FactTracks()
        for step in 0..<20 {
            // They pass each other, one above the other.
            let boxes = [box(0.1 + 0.03 * Float(step), 0.1), box(0.7 - 0.03 * Float(step), 0.6)]
            #expect(tracks.ids(of: boxes, after: 1.0 / 30) == [1, 2])
        }
    }

    @Test func theOrderOfWhatIsFoundDoesNotMatter() {
        var tracks = FactTracks()
        #expect(tracks.ids(of: [box(0.1), box(0.5)], after: 0) == [1, 2])
        #expect(tracks.ids(of: [box(0.51), box(0.11)], after: 0.1) == [2, 1])
    }

    /// Both are near the second one's new place; the nearer one is there.
    @Test func theNearestIsTheSame() {
        var tracks = FactTracks()
        #expect(tracks.ids(of: [box(0.3), box(0.42)], after: 0) == [1, 2])
        #expect(tracks.ids(of: [box(0.4)], after: 0.1) == [2])
    }

    @Test func halfASecondUnseenIsRemembered() {
        var tracks = FactTracks()
        #expect(tracks.ids(of: [box(0.3)], after: 0) == [1])
        for _ in 0..<4 { #expect(tracks.ids(of: [], after: 0.1).isEmpty) }
        #expect(tracks.ids(of: [box(0.32)], after: 0.1) == [1])
        for _ in 0..<5 { #expect(tracks.ids(of: [], after: 0.1).isEmpty) }
        #expect(tracks.ids(of: [box(0.32)], after: 0.1) == [2])
    }

    @Test func whatIsElsewhereOrOfAnotherSizeIsNew() {
        var tracks = FactTracks()
        #expect(tracks.ids(of: [box(0.1)], after: 0) == [1])
        #expect(tracks.ids(of: [box(0.6)], after: 0.1) == [2])
        #expect(tracks.ids(of: [box(0.4, 0.2, 0.6)], after: 0.1) == [3])
    }

    @Test func numbersAreNotUsedAgain() {
        var tracks = FactTracks()
        #expect(tracks.ids(of: [box(0.1)], after: 0) == [1])
        tracks.forget()
        #expect(tracks.ids(of: [box(0.1)], after: 0) == [2])
    }

    private func eyes(_ open: Float) -> FaceFacts.Eyes { FaceFacts.Eyes(right: open, left: open) }

    @Test func aBlinkIsNoticedAndNoiseIsNot() throws {
        var steady = SteadyEyes()
        var seen = try #require(steady.next([1], [eyes(1)], after: 0).first)
        // A single picture of closed eyes, 30 a second.
        seen = try #require(steady.next([1], [eyes(0)], after: 1.0 / 30).first)
        #expect(seen?.areOpen == true)
        for _ in 0..<3 { seen = try #require(steady.next([1], [eyes(0)], after: 1.0 / 30).first) }
        #expect(seen?.areOpen == false)
    }

    @Test func eyesAreThoseOfTheirFace() {
        var steady = SteadyEyes()
        _ = steady.next([1, 2], [eyes(1), eyes(0)], after: 0)
        let next = steady.next([2, 1, 3], [eyes(0), nil, eyes(0.5)], after: 0.1)
        #expect(next == [eyes(0), nil, eyes(0.5)])
        // Nothing is left of what was not seen.
        #expect(steady.next([1], [eyes(0.25)], after: 0.1) == [eyes(0.25)])
    }
}
