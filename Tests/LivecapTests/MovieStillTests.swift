// SPDX-License-Identifier: MIT
// Stills of movies that keep a camera's own JPEG frames.

import Foundation
import LivecapProcesses
import Testing

@Suite(.timeLimit(.usual)) struct MovieStillTests {
    private let files = try! Scratch()

    private func livecap(_ words: String...) throws -> Outcome { try RunningLivecap(words).finish() }

    @Test func aMomentOfAMovieIsFusedOfItsFrames() throws {
        let movie = files.path("walk.mkv")
        let made = try livecap(
            "movie", "--synthetic", "tripod:seed=3", "--size", "320x192", "--format", "MJPG", "-t", "1s", "-o", movie)
        #expect(made.status == 0, "\(made.errors)")
        let object = try livecap("develop", movie, "--at", "500ms", "-o", files.path("a.png"), "--json").object
        #expect((object["framesUsed"] as? [Any])?.count == 8 && object["width"] as? Int == 320)
        let shot = try livecap("shoot", "--replay", movie, "--at", "500ms", "-o", files.path("b.png"), "--json").object
        #expect((shot["framesUsed"] as? [Any])?.count == 8)
        #expect(shot["referenceNs"] as? Int == object["referenceNs"] as? Int)
        #expect(try files.bytes("a.png").count > 10_000)
    }

    @Test func aMovieOfOtherPicturesIsRefused() throws {
        let movie = files.path("walk.mkv")
        _ = try livecap(
            "movie", "--synthetic", "tripod:seed=3", "--size", "160x96", "-t", "300ms", "--codec", "h264", "-o", movie)
        let outcome = try livecap("develop", movie, "-o", files.path("a.jpg"))
        #expect(outcome.status == 65 && outcome.errors.contains("not a camera's JPEG"), "\(outcome.errors)")
    }
}
