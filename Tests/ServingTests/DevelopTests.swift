// SPDX-License-Identifier: MIT
// Photos that are developed again, and again from those, and what lists and events say of photos.

import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized) struct DevelopTests {
    private func post(_ scene: ServedScene, _ target: String, _ body: String) throws -> JSON {
        let answer = try HTTPConnection.exchange(
            port: scene.port, HTTPRequest("POST", target, fields: [scene.proof], body: Array(body.utf8)))
        return try #require(answer.status == 201 ? answer.json : nil, "\(answer.status) \(answer.text)")
    }

    private func get(_ scene: ServedScene, _ target: String) throws -> JSON {
        let answer = try HTTPConnection.get(port: scene.port, target)
        return try #require(answer.status == 200 ? answer.json : nil, "\(answer.status) \(answer.text)")
    }

    private func counter(_ photo: JSON) throws -> UInt64 {
        try #require(photo["frame"]?.asString.flatMap { FrameID($0) }?.counter, "\(photo.text)")
    }

    private func number(_ photo: JSON) throws -> Int64 { try #require(photo["id"]?.asInteger) }

    /// Waits until the ring has a past, and takes a photo.
    private func shoot(_ scene: ServedScene, _ body: String = "{}") throws -> JSON {
        _ = scene.session.ring.wait(forCounter: 8, until: .now + .seconds(60))
        return try post(scene, "/shots?wait=1", body)
    }

    @Test func aDevelopedPhotoCanBeDevelopedAgain() async throws {
        try await withServedScene { scene in
            let original = try shoot(scene)
            let first = try counter(original)
            var photo = original
            for step in 1...3 {
                photo = try post(scene, "/photos/\(number(photo))/develop", #"{"shift":-1}"#)
                #expect(try counter(photo) == first - UInt64(step))
                #expect(photo["keptFrames"]?.text == original["keptFrames"]?.text)
            }
            let last = try post(scene, "/photos/\(number(photo))/develop", #"{"shift":3}"#)
            #expect(try counter(last) == first)
        }
    }

    /// What is kept of its settings makes the same picture again, in every format.
    @Test func aDevelopedPhotoIsConvertedLikeOthers() async throws {
        try await withServedScene { scene in
            let photo = try post(scene, "/photos/\(number(shoot(scene)))/develop", #"{"shift":-1}"#)
            let id = try number(photo)
            let png = try HTTPConnection.get(port: scene.port, "/photos/\(id)/final?format=png")
            #expect(png.status == 200 && png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            let again = try post(scene, "/photos/\(id)/develop", #"{"format":"png"}"#)
            // The file itself says how long its making took.
            let small = try [photo, again].map { photo in
                try HTTPConnection.get(port: scene.port, "/photos/\(number(photo))/thumbnail").body
            }
            #expect(small[0] == small[1] && !small[0].isEmpty)
            #expect(try counter(again) == counter(photo))
        }
    }

    @Test func aPhotoIsShownInTheSizeThatIsAskedFor() async throws {
        try await withServedScene { scene in
            let image = "/photos/\(try number(shoot(scene)))/image"
            let small = try HTTPConnection.get(port: scene.port, "\(image)?size=16x8&mode=fill&download=1")
            #expect(small.status == 200 && small["Content-Disposition"]?.contains(".jpg") == true)
            #expect(PhotoInspection(small.body)?.size == FrameSize(width: 16, height: 8))
        }
    }

    @Test func listsSayWhichFramesPhotosAreOf() async throws {
        try await withServedScene { scene in
            let taken = try [shoot(scene, #"{"quality":"balanced"}"#), shoot(scene)]
            let listed = try #require(try get(scene, "/photos")["photos"]?.elements)
            for (photo, entry) in zip(taken.reversed(), listed) {
                for key in ["id", "frame", "framesUsed"] { #expect(entry[key]?.text == photo[key]?.text, "\(key)") }
            }
            #expect(listed.last?["framesUsed"]?.asInteger ?? 0 > 1)
            #expect(listed.first?["framesUsed"]?.asInteger == 1)
        }
    }

    /// The news that a photo is finished says as much as the photo itself.
    @Test func finishedPhotosSayWhichFramesTheyAreOf() async throws {
        try await withServedScene { scene in
            let stored = try await scene.library.photo(PhotoID(number: number(shoot(scene))))
            let page = await SessionEvent.photoFinished(stored).page(scene.library)
            let (name, photo) = try #require(page)
            let whole = try get(scene, "/photos/\(stored.id)")
            #expect(name == "photo" && photo.text == whole.text && photo["framesUsed"]?.asInteger == 1)
        }
    }

    /// A page that turns its view like the photos shows what they will show.
    @Test func theSizeIsThatOfThePictureShown() async throws {
        try await withServedScene(orientation: .right) { scene in
            let mount = try get(scene, "/status")["mount"]
            #expect(mount?["angle"]?.asInteger == 90 && mount?["mirrored"]?.bool == false)
            let photo = try shoot(scene)
            let small = try post(scene, "/photos/\(number(photo))/develop", #"{"quality":"single"}"#)
            for photo in [photo, small] {
                #expect(photo["width"]?.asInteger == 240 && photo["height"]?.asInteger == 320)
            }
        }
    }
}
