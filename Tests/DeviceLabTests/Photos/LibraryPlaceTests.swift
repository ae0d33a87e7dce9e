// SPDX-License-Identifier: MIT
// A library on a file system that the catalogue cannot work on: the lab's shared folder is one.

import Foundation
import Testing

extension DeviceLab {
    @Suite("places of libraries")
    struct LibraryPlaceTests {
        @Test("a file system without shared memory is named as such, and no photo is announced")
        func sharedFolder() throws {
            let place = "/lab/library-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: place) }
            let outcome = try Livecap.start(
                ["shoot", "--synthetic", "tripod:frames=12", "--size", "320x240", "--library", place]
            ).finish()
            #expect(outcome.status == 74 && outcome.output.contains("catalogue-failed"), "\(outcome)")
            #expect((outcome.output + outcome.errors).contains("file system without shared memory"), "\(outcome)")
        }
    }
}
