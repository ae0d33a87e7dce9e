// SPDX-License-Identifier: MIT
// Masks of photos over HTTP.

import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapPhotoStorage
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized) struct PhotoMaskTests {
    private let document: OpenAPIDocument

    init() throws { document = try #require(PageFiles()["openapi.json"].flatMap { OpenAPIDocument($0.bytes) }) }

    /// Asks for a photo, or for its mask, and compares the answer with the document.
    private func get(_ scene: ServedScene, _ id: PhotoID, _ part: String = "") throws -> HTTPAnswer {
        let answer = try HTTPConnection.get(port: scene.port, "/photos/\(id)\(part)")
        let operation = try #require(document.operation("GET", "/photos/{id}\(part)"))
        let fault = document.fault(operation, status: answer.status, type: answer["Content-Type"], body: answer.json)
        #expect(fault == nil, "\(fault ?? "")")
        return answer
    }

    private func add(_ mask: [UInt8]?, to scene: ServedScene) throws -> PhotoID {
        var new = NewPhoto(
            tap: .zero, reference: .zero, taken: CalendarTime(utcNanoseconds: 0), format: .jpeg,
            size: FrameSize(width: 16, height: 8), qualityAsked: .quality, qualityGiven: .quality)
        new.mask = mask
        return try scene.library.addFinished(new, [0xFF, 0xD8, 0xFF, 0xD9]).id
    }

    @Test func aMaskIsSent() async throws {
        try await withServedScene { scene in
            let mask: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 7]
            let id = try add(mask, to: scene)
            #expect(try get(scene, id).json?["urls"]?["mask"]?.asString == "/photos/\(id)/mask")
            let answer = try get(scene, id, "/mask")
            #expect(answer.status == 200 && answer["Content-Type"] == "image/png" && answer.body == mask)
        }
    }

    @Test func aPhotoWithoutOneSaysSo() async throws {
        try await withServedScene { scene in
            let id = try add(nil, to: scene)
            #expect(try get(scene, id).json?["urls"]?["mask"]?.isNull == true)
            let none = try get(scene, id, "/mask")
            #expect(none.status == 404 && none.json?["code"]?.asString == "no-mask", "\(none.text)")
            let gone = try get(scene, PhotoID(number: 99), "/mask")
            #expect(gone.status == 404 && gone.json?["code"]?.asString == "no-such-photo", "\(gone.text)")
        }
    }
}
