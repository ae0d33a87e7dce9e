// SPDX-License-Identifier: MIT
// `livecap shoot` with the webcam: the number in the pixels proves that a picture shows the frame nearest its moment.

import Foundation
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("livecap shoot")
    struct ShootTests {
        /// How the pictures are made, and of what.
        struct Way: CustomTestStringConvertible {
            let quality: String
            var taps = [-600, -300, 0]
            /// Whether the bars move behind the number.
            var isMoving = false
            var testDescription: String { quality + (isMoving ? ", before moving bars" : "") }
        }

        @Test(
            "each picture's pixels have the number of the frame nearest its moment",
            arguments: [
                Way(quality: "single"), Way(quality: "speed"), Way(quality: "balanced", taps: [-500, 0]),
                Way(quality: "balanced", taps: [-300], isMoving: true),
            ])
        func nearest(way: Way) throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let folder = try TemporaryFolder()
            let (shots, witness) = try shoot(way, vivid, into: folder)
            for shot in shots {
                // A slow machine may come too late for a moment; then the shot must fail instead of using another
                // frame.
                if shot.code == "too-old" && shots.first?.code == nil { continue }
                try witness.expectNearest(shot)
                #expect(shot.qualityGiven == way.quality)
                // The number differs in every frame, so each of the other fused frames could leave a ghost.
                if way.quality == "balanced" { #expect(shot.framesUsed!.count > 1) }
            }
            let moments = shots.compactMap { shot in shot.tapNs.map { $0 / 1_000_000 - Int64(way.taps[shot.shot! - 1]) }
            }
            #expect(moments.allSatisfy { abs($0 - moments[0]) <= 1 }, "the moments are as far apart as was asked for")
        }

        @Test("the plain mean of the same frames is unreadable: ghosts would show")
        func mean() throws {
            let vivid = try OnScreenText.shown()
            defer { try? vivid.reset() }
            let folder = try TemporaryFolder()
            let (shots, witness) = try shoot(Way(quality: "mean", taps: [0]), vivid, into: folder)
            #expect(shots[0].framesUsed!.count > 1)
            #expect(throws: OnScreenText.Unreadable.self) { try witness.number(in: shots[0]) }
        }

        /// Takes pictures of several moments in one run.
        private func shoot(
            _ way: Way, _ vivid: borrowing Vivid, into folder: borrowing TemporaryFolder
        ) throws -> ([ShotObject], Witness) {
            if way.isMoving { try vivid.set(.horizontalMovement, 1) }
            let account = try DriverAccount()
            let outcome = try Livecap.start(
                ["shoot", "--device", Lab.webcam, "--format", "YUYV", "--size", "\(LabStream.size)", "--fps", "10"]
                    + ["--ring", "2500ms", "--quality", way.quality, "-o", folder.path("seen.png")]
                    + way.taps.flatMap { ["--at", "\($0)ms"] }
            ).finish()
            let shots = try ShotObject.all(in: outcome.output)
            #expect(outcome.status == (shots.contains { $0.code != nil } ? 65 : 0), "\(outcome.errors)")
            try #require(shots.count == way.taps.count, "\(outcome.output)\(outcome.errors)")
            return (shots, try Witness(account.frames()))
        }
    }
}
