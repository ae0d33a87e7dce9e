// SPDX-License-Identifier: MIT
// What movies say of themselves, as ffprobe and exiftool read it.

import Foundation
import FrameRing
import LivecapFrames
import LivecapMovies
import Testing

@Suite struct MovieAccountTests {
    /// A movie of a source that is tied to the calendar, in a zone east of UTC.
    private func movie(
        _ name: String, _ settings: MovieSettings = MovieSettings(), camera: String = "Grüne \"Kamera\" & <1>"
    ) async throws -> MovieStage {
        let stage = try MovieStage()
        var source = stage.source
        source.name = camera
        source.anchor = WallClockAnchor(
            monotonic: MovieStage.begin - .seconds(60),
            calendar: CalendarTime(sinceEpoch: .seconds(1_700_000_000), utcOffset: .seconds(3600)), zoneName: "CET")
        var settings = settings
        settings.software = "livecap 1.2.3"
        let movie = try await MovieFileOutput.open(source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        try stage.publish(at: [250, 283])
        #expect(await movie.finish().failure == nil)
        return stage
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func theyNameTimeCameraAndMaker(name: String) async throws {
        let stage = try await movie(name)
        let tags = try MovieProbe(stage.path(name)).tags
        #expect(tags["creation_time"]?.hasPrefix("2023-11-14T22:14:20.25") == true)
        if name == "a.mp4" {
            #expect(tags["com.apple.quicktime.creationdate"] == "2023-11-14T23:14:20.250+01:00")
            #expect(tags["com.apple.quicktime.model"] == "Grüne \"Kamera\" & <1>")
            #expect(tags["com.apple.quicktime.software"] == "livecap 1.2.3")
        } else {
            #expect(tags["DATE_RECORDED"] == "2023-11-14 23:14:20.250+01:00")
            #expect(tags["MODEL"] == "Grüne \"Kamera\" & <1>" && tags["ENCODED_BY"] == "livecap 1.2.3")
        }
        let made = name == "a.mkv" ? "unchanged" : name == "a.mp4" ? "encoded by libx264" : "encoded by libvpx-vp9"
        let comment = tags["comment"] ?? tags["COMMENT"]
        #expect(comment == "Grüne \"Kamera\" & <1>, 64x48 MJPG at 30 fps, \(made)")
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func theAccountIsJSON(name: String) async throws {
        var settings = MovieSettings()
        settings.isFused = true
        let stage = try await movie(name, settings)
        let tags = try MovieProbe(stage.path(name)).tags
        let text = try #require(tags["livecap_provenance"] ?? tags["LIVECAP_PROVENANCE"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["engine"] as? String == "livecap 1.2.3" && object["fused"] as? Bool == true)
        #expect(object["begin"] as? String == "2023-11-14T23:14:20.250+01:00")
        #expect(object["unchanged"] as? Bool == (name == "a.mkv") && object["sound"] is NSNull)
        let source = try #require(object["source"] as? [String: Any])
        #expect(source["name"] as? String == "Grüne \"Kamera\" & <1>" && source["id"] as? String == "eye")
        #expect(source["width"] as? Int == 64 && source["format"] as? String == "MJPG")
    }

    @Test(arguments: [
        ("a.mkv", "DateTimeOriginal", "2023:11:14 23:14:20.250+01:00"), ("a.mkv", "Model", "Eye"),
        ("a.mp4", "CreationDate", "2023:11:14 23:14:20.250+01:00"), ("a.mp4", "CreateDate", "2023:11:14 22:14:20"),
        ("a.mp4", "Model", "Eye"), ("a.mp4", "Software", "livecap 1.2.3"),
    ])
    func exiftoolReadsIt(name: String, tag: String, value: String) async throws {
        let stage = try await movie(name, camera: "Eye")
        let found = try MovieProbe.run(["exiftool", "-s3", "-\(tag)", stage.path(name)])
        #expect(String(decoding: found, as: UTF8.self) == value + "\n")
    }

    /// FFmpeg counts turns counterclockwise.
    @Test(arguments: [
        (CameraMount(angle: .quarter), -90), (CameraMount(angle: .half), -180),
        (CameraMount(angle: .threeQuarters), 90),
    ])
    func playersOfMP4TurnThePictures(mount: CameraMount, turn: Int) async throws {
        var settings = MovieSettings()
        settings.mount = mount
        let stage = try await movie("a.mp4", settings)
        let output = try MovieProbe.run([
            "ffprobe", "-v", "error", "-show_entries", "stream_side_data=rotation", "-of", "csv=p=0",
            stage.path("a.mp4"),
        ])
        let found = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).first ?? ""
        #expect(Int(found) == turn || (abs(turn) == 180 && Int(found) == -turn))
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == 2)
    }

    /// Where the left is dark and the right is bright, each turn puts the dark half somewhere else.
    @Test(
        arguments: [
            (CameraMount(), [false, true, false, true]), (CameraMount(angle: .quarter), [false, false, true, true]),
            (CameraMount(angle: .half), [true, false, true, false]),
            (CameraMount(angle: .threeQuarters), [true, true, false, false]),
            (CameraMount(isMirrored: true), [true, false, true, false]),
            (CameraMount(angle: .quarter, isMirrored: true), [true, true, false, false]),
        ], ["a.mp4", "a.mkv", "a.webm"])
    func turnedPicturesAreUpright(_ turn: (mount: CameraMount, isBright: [Bool]), name: String) async throws {
        let stage = try MovieStage(.grey)
        var settings = MovieSettings()
        settings.mount = turn.mount
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        let picture = (0..<64 * 48).map { UInt8($0 % 64 < 32 ? 20 : 220) }
        for time in 0..<2 { try stage.publish(picture, at: .milliseconds(33 * time)) }
        _ = await movie.finish()
        let corners = try MovieProbe.run([
            "ffmpeg", "-v", "error", "-i", stage.path(name), "-vf", "scale=2:2:flags=area", "-pix_fmt", "gray",
            "-frames:v", "1", "-f", "rawvideo", "-",
        ])
        #expect(corners.map { $0 > 128 } == turn.isBright)
    }

    @Test func picturesThatPassThroughSayThatTheyAreNotTurned() async throws {
        var settings = MovieSettings(codec: .mjpeg)
        settings.mount = CameraMount(angle: .quarter)
        let stage = try await movie("a.mkv", settings)
        let tags = try MovieProbe(stage.path("a.mkv")).tags
        #expect(tags["LIVECAP_PROVENANCE"]?.contains("\"turn\":90") == true)
    }
}
