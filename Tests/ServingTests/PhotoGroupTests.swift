// SPDX-License-Identifier: MIT
// Photos that several cameras took at one tap, as pages get and hear of them.

import Glibc
import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct PhotoGroupTests {
    private let document: OpenAPIDocument

    init() throws { document = try #require(PageFiles()["openapi.json"].flatMap { OpenAPIDocument($0.bytes) }) }

    /// Asks for photos, and compares the answer with the document.
    private func list(_ scene: ServedScene, _ query: String) throws -> HTTPAnswer {
        let answer = try HTTPConnection.get(port: scene.port, "/photos?\(query)")
        let operation = try #require(document.operation("GET", "/photos"))
        let fault = document.fault(operation, status: answer.status, type: answer["Content-Type"], body: answer.json)
        #expect(fault == nil, "\(fault ?? "")")
        return answer
    }

    private func ids(_ answer: HTTPAnswer) -> [Int64] {
        answer.json?["photos"]?.elements.compactMap { $0["id"]?.integer } ?? []
    }

    /// Adds a photo of a moment in milliseconds.
    private func add(_ milliseconds: Int64, _ group: PhotoGroup?, bound: Double?, to scene: ServedScene) throws -> Int64
    {
        let moment = Timestamp(nanoseconds: milliseconds * 1_000_000)
        var new = NewPhoto(
            tap: .zero, reference: moment, taken: CalendarTime(utcNanoseconds: moment.nanoseconds), format: .jpeg,
            size: FrameSize(width: 16, height: 8), qualityAsked: .quality, qualityGiven: .quality,
            provenance: bound.map { "{\"lagBoundMs\":\($0)}" } ?? "{}")
        new.group = group
        return try scene.library.addFinished(new, [0xFF, 0xD8, 0xFF, 0xD9]).id.number
    }

    @Test func thePhotosOfAGroupAreListedAlone() async throws {
        try await withServedScene { scene in
            let front = try add(10, PhotoGroup(id: "tap-1", stream: "Front"), bound: 2.5, to: scene)
            let side = try add(20, PhotoGroup(id: "tap-1", stream: "Side"), bound: nil, to: scene)
            _ = try add(30, PhotoGroup(id: "tap-2", stream: "Front"), bound: nil, to: scene)
            _ = try add(40, nil, bound: nil, to: scene)
            let both = try list(scene, "group=tap-1")
            #expect(ids(both) == [side, front] && both.json?["more"]?.bool == false)
            let photos = both.json?["photos"]?.elements ?? []
            #expect(photos.map { $0["group"]?["stream"]?.string } == ["Side", "Front"])
            // How wrong a lag may be is known if the photo's account says so.
            #expect(photos.map { $0["lagBoundMs"]?.asDouble } == [nil, 2.5])
            let first = try list(scene, "group=tap-1&limit=1")
            #expect(ids(first) == [side] && first.json?["more"]?.bool == true)
            #expect(try ids(list(scene, "group=tap-1&after=\(side)")) == [front])
            #expect(try ids(list(scene, "group=tap-3")).isEmpty)
            #expect(try ids(list(scene, "limit=10")).count == 4)
        }
    }

    @Test func whatCannotBeTheNameOfAGroupIsRefused() async throws {
        try await withServedScene { scene in
            for name in ["", "a%20b", "a/b", String(repeating: "x", count: 65)] {
                let answer = try list(scene, "group=\(name)")
                #expect(answer.status == 400 && answer.json?["code"]?.string == "bad-request", "\(name)")
            }
        }
    }

    @Test func pagesHearOfPhotosThatAnotherCameraTakes() async throws {
        try await withServedScene { scene in
            var object = try SyntheticSettings("object")
            object.prerenderedFrames = 4
            let options = SessionOptions(
                library: scene.library, history: .seconds(1), threads: 1, isRealTime: false)
            let other = try await CaptureSession(
                source: .synthetic(
                    object, pixelFormat: .mjpeg, size: FrameSize(width: 320, height: 240), rate: FrameRate(30),
                    .realtime), options: options)
            scene.viewfinder.showPhotos(of: other)
            try await other.start()
            let events = try EventStream(port: scene.port)
            _ = try events.next()
            var settings = PhotoSettings(quality: .single)
            settings.group = PhotoGroup(id: "tap-7", stream: "Side")
            let photo = try await other.photoOutput.photo(settings)
            var news: JSON?
            while news == nil, let event = try events.next() {
                // Numbers of its shots mean nothing here.
                #expect(event.name != "shot")
                if event.name == "photo" { news = event.json }
            }
            #expect(news?["id"]?.integer == photo.libraryID?.number)
            #expect(news?["group"]?["stream"]?.string == "Side" && news?["shot"]?.isNull == true)
            // A camera that has no picture says why.
            let gone = try? await other.photoOutput.photo(settings, at: .frame(FrameID(epoch: 9, counter: 9)))
            #expect(gone == nil)
            var words: String?
            while words == nil, let event = try events.next() {
                if event.name == "notice" { words = event.json?["words"]?.string }
            }
            #expect(words?.contains("no picture") == true, "\(words ?? "")")
            await other.stop(.cancellingShots)
        }
    }
}
