// SPDX-License-Identifier: MIT
// What is reported of a picture and of failures: the kind of source, a missing folder, what a full disk left.

import Foundation
import LivecapFiles
import Testing

@Suite(.timeLimit(.usual)) struct SaidTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private let scene = ["--synthetic", "tripod", "--size", "64x48", "--format", "YUYV", "--quality", "single"]

    @Test func aPictureHasItsTimeSizeAndKind() throws {
        let before = Date.now
        let outcome = try RunningLivecap(
            ["shoot", "--json", "-o", files.path("a.png"), "--rotate", "90"] + scene, shell: "TZ=UTC-2 exec \"$@\""
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(shot["width"] as? Int == 48 && shot["height"] as? Int == 64 && shot["format"] as? String == "png")
        let time = try #require(shot["time"] as? String)
        #expect(time.hasSuffix("+02:00"))
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let taken = try style.parse(time)
        #expect(abs(taken.timeIntervalSince(before)) < 3600)
    }

    @Test func aPictureOfAnotherClockHasNoTime() throws {
        let outcome = try RunningLivecap(
            ["shoot", "--json", "-o", files.path("a.jpg"), "--pace", "fast"] + scene
        ).finish()
        let shot = try outcome.object
        #expect(shot["time"] is NSNull && shot["width"] as? Int == 64 && shot["format"] as? String == "jpeg")
    }

    @Test(arguments: ["shoot", "record"]) func aMissingFolderIsCalledSo(command: String) throws {
        let shot = ["--synthetic", "tripod", "--size", "64x48", "-o", files.path("none/a.lcap")]
        let picture = scene + ["-o", files.path("none/a.jpg")]
        let outcome = try RunningLivecap([command] + (command == "shoot" ? picture : shot)).finish()
        #expect(outcome.status == 73)
        #expect(outcome.errors.contains("no folder \(files.path("none"))"), "\(outcome.errors)")
        #expect(outcome.errors.contains("mkdir -p \(files.path("none"))"), "\(outcome.errors)")
    }

    @Test func aScenesErrorsDoNotSpeakOfFiles() throws {
        let outcome = try RunningLivecap(
            ["shoot", "--pace", "fast", "--at", "5s", "-o", files.path("a.jpg")]
                + scene.map { $0 == "tripod" ? "tripod:frames=3" : $0 }
        ).finish()
        #expect(outcome.status == 65)
        #expect(!outcome.errors.contains("FILE") && outcome.errors.contains("scene"), "\(outcome.errors)")
    }

    /// The thread sanitizer's runtime maps a temporary file, which would be too short under this limit.
    @Test(.disabled(if: ProcessInfo.processInfo.environment["LIVECAP_SANITIZER"] == "thread"))
    func afterAFullDiskWhatIsKeptIsSaid() throws {
        let limit = "ulimit -f 2; exec \"$@\""
        let shot = try RunningLivecap(["shoot", "-o", files.path("a.jpg")] + scene, shell: limit).finish()
        #expect(shot.status == 74)
        #expect(shot.errors.contains("no picture was written; the failed ones left nothing behind"), "\(shot.errors)")
        let recording = try RunningLivecap(
            ["record", "--synthetic", "tripod", "--size", "64x48", "-n", "200", "-o", files.path("a.lcap")],
            shell: "ulimit -f 128; exec \"$@\""
        ).finish()
        #expect(recording.status == 74)
        #expect(recording.errors.contains("recorded until then are kept in"), "\(recording.errors)")
    }
}
