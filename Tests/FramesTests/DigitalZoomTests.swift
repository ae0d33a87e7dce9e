// SPDX-License-Identifier: MIT
// Zooms: their texts, and the part of a picture that they show.

import Foundation
import LivecapFrames
import Testing

@Suite struct DigitalZoomTests {
    @Test(arguments: ["1", "2", "16", "1.5@0.3,0.7", "2@0,1", "4@1,0"])
    func textsAreRead(text: String) throws {
        let zoom = try #require(DigitalZoom(text))
        #expect(DigitalZoom("\(zoom)") == zoom)
        #expect(try JSONDecoder().decode(DigitalZoom.self, from: JSONEncoder().encode(zoom)) == zoom)
    }

    @Test(arguments: ["", "0.9", "17", "nan", "inf", "2@", "2@1", "2@1,2", "2@-0.1,0", "2@a,b", "x", "2@0.5,0.5,0.5"])
    func othersAreNot(text: String) { #expect(DigitalZoom(text) == nil) }

    @Test(arguments: [0.0, 0.25, 0.5, 0.9, 1], [1.0, 1.3, 2, 16])
    func thePartStaysInThePicture(center: Double, factor: Double) throws {
        let part = try #require(DigitalZoom(factor: factor, centerX: center, centerY: 1 - center)).part
        #expect(part.x >= 0 && part.x + part.side <= 1 + 1e-12 && part.y >= 0 && part.y + part.side <= 1 + 1e-12)
        #expect(abs(part.side * factor - 1) < 1e-12)
    }

    @Test func theMiddleIsKeptWhereThereIsRoom() throws {
        let part = try #require(DigitalZoom("2@0.4,0.6")).part
        #expect(abs(part.x - 0.15) < 1e-12 && abs(part.y - 0.35) < 1e-12)
    }
}
