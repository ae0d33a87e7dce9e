// SPDX-License-Identifier: MIT
// What is found at the beginning of an H.264 frame, whatever its bytes are.

import Testing

@testable import LivecapMovies

@Suite struct H264HeadTests {
    private let sequence: [UInt8] = [0x67, 0x42, 0x00, 0x1E, 0x95]
    private let picture: [UInt8] = [0x68, 0xCE, 0x38]

    private func head(_ bytes: [UInt8]) -> H264Head { H264Head(of: bytes.span.bytes) }

    @Test func parametersAndAnIndependentPicture() {
        let found = head([0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture + [0, 0, 1, 0x65, 0x88, 0x84])
        #expect(found.picture == .independent)
        #expect(found.parameters == [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture)
    }

    @Test func otherUnitsAreNoPictures() {
        // A delimiter and additional information before the picture.
        let found = head([0, 0, 1, 0x09, 0x10, 0, 0, 1, 0x06, 5, 1, 0x80, 0, 0, 1, 0x41, 0x9A])
        #expect(found.picture == .dependent && found.parameters == [])
        #expect(head([0, 0, 1, 0x09, 0x10]).picture == .none)
    }

    @Test func theFirstPictureCounts() {
        #expect(head([0, 0, 1, 0x41, 0x9A, 0, 0, 1, 0x65, 0x88]).picture == .dependent)
        #expect(head([0, 0, 1, 0x65, 0x88, 0, 0, 1] + sequence + [0, 0, 1] + picture).parameters == [])
    }

    @Test func zerosBetweenUnitsBelongToNone() {
        let found = head([0, 0, 0, 0, 1] + sequence + [0, 0, 0, 0, 0, 1] + picture + [0, 0])
        #expect(found.picture == .none)
        #expect(found.parameters == [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture)
    }

    @Test func parametersOfOneKindAreNotEnough() {
        #expect(head([0, 0, 1] + sequence + [0, 0, 1, 0x65, 1]).parameters == [])
        #expect(head([0, 0, 1] + picture + [0, 0, 1, 0x65, 1]).parameters == [])
    }

    @Test(
        arguments: [
            [], [0], [0, 0], [0, 0, 1], [0, 0, 0, 1], [1, 2, 3], [0xFF, 0xD8, 0xFF], [0, 0, 1, 0x67],
            [0, 0, 1, 0x67, 0, 0, 1],
        ] as [[UInt8]])
    func fragmentsAreNothing(_ bytes: [UInt8]) {
        let found = head(bytes)
        #expect(found.picture == .none && found.parameters == [])
    }

    @Test func parametersThatNoContainerHoldsArePassedOver() {
        let long = [UInt8](repeating: 0x67, count: 65536)
        let found = head([0, 0, 1] + long + [0, 0, 1] + picture + [0, 0, 1, 0x65, 1])
        #expect(found.picture == .independent && found.parameters == [])
    }
}
