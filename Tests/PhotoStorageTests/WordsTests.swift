// SPDX-License-Identifier: MIT
// Every error of a library has a message, a hint, a code and an exit status from sysexits.

import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct LibraryWordsTests {
    private static let errors: [LibraryError] = [
        .noLibrary("/l"), .notALibrary("/l", detail: "d"), .newerSchema("/l", found: 2, known: 1),
        .damagedCatalogue("/l", detail: "d"), .busy("/l"), .catalogueFailed("/l", code: 10, detail: "d"),
        .fileError("/l", call: "write", errno: 28), .unsafePath("/l", detail: "d"), .badPhoto("d"),
        .noSuchPhoto(PhotoID(number: 1)), .beingFinished(PhotoID(number: 1)),
        .unfinishable(PhotoID(number: 1), reason: "r"), .noMask(PhotoID(number: 1)), .noTrash("/l"),
        .missing("/l"), .damaged("/l/a.jpg", detail: "d"),
        .alreadyThere("/l"), .lostCatalogue("/l"), .readOnly("/l"), .notCreatable("/l", errno: 13),
    ]

    @Test func everyErrorHasWordsOfItsOwn() {
        for error in Self.errors {
            #expect(!error.message.isEmpty && !error.message.hasSuffix("."), "\(error)")
            #expect(!error.hint.contains("--") && !error.hint.contains("'livecap"), "\(error)")
            #expect(!error.hint.isEmpty && !error.hint.hasSuffix("."), "\(error)")
            #expect((64...78).contains(error.exitStatus), "\(error)")
        }
        #expect(Set(Self.errors.map(\.code)).count == Self.errors.count)
        #expect(Set(Self.errors.map(\.message)).count == Self.errors.count)
    }

    @Test func momentsAreTheLocalOnes() {
        #expect("\(someEvening)" == "2026-11-21T22:30:15.042+02:00" && someEvening.inWords == "2026-11-21 22:30:15")
        #expect("\(CalendarTime(utcNanoseconds: -1, zoneOffsetSeconds: -12_600))" == "1969-12-31T20:29:59.999-03:30")
        // With any values that a damaged catalogue may contain.
        for nanoseconds in [Int64.min, .max] {
            for offset in [Int32.min, .max] {
                #expect(!CalendarTime(utcNanoseconds: nanoseconds, zoneOffsetSeconds: offset).description.isEmpty)
            }
        }
    }
}
