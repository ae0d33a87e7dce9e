// SPDX-License-Identifier: MIT
// Hints for clients name nothing that only a program in Swift knows.

import LiveCapture
import LivecapFrames
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite struct ClientHintsTests {
    @Test(arguments: [
        PhotoError.notRunning, .noFrame(at: .zero, distance: nil), .tooOld(by: .seconds(1)),
        .noSuchFrame(FrameID(epoch: 0, counter: 1)), .overloaded, .tooManyScheduled(limit: 3), .undecodable("x"),
        .unprocessed("x"), .tooLittleMemory(needed: 2, there: 1), .cameraAway, .streamEnded(nil), .cancelled,
    ]) func hintsOfPhotosAreInWords(error: PhotoError) {
        #expect(!ClientHints.hint(error).contains(/[A-Z][a-z]+[A-Z]|\w\.\w|session/), "\(ClientHints.hint(error))")
    }

    @Test(arguments: [SessionError.running, .ended, .cancelled, .cannotReopen, .source(.noMemory(bytes: 1))])
    func hintsOfCamerasAreInWords(error: SessionError) {
        #expect(!ClientHints.hint(error).contains(/[A-Z][a-z]+[A-Z]|session/), "\(ClientHints.hint(error))")
    }

    @Test func responsesHaveThem() throws {
        let response = HTTPResponse.failure(503, PhotoError.overloaded, code: "overloaded")
        guard case .bytes(let bytes) = response.content else {
            Issue.record("no bytes")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).contains(ClientHints.hint(PhotoError.overloaded)))
    }
}
