// SPDX-License-Identifier: MIT
// A proxy that another program has changed stays when its photo gets its final.

import Foundation
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct EditedProxyTests {
    private let test: TestLibrary
    private let library: PhotoLibrary
    private let photo: LibraryPhoto

    init() throws {
        test = try TestLibrary()
        library = try test.open()
        photo = try library.addDeferred(
            newPhoto(), proxy: [4, 4], frames: library.openBurst(greyHeader()).append([1]))
    }

    private func finish() throws -> LibraryPhoto {
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        return try library.finish(claim, [5], provenance: "{}")
    }

    private func write(_ bytes: [UInt8], to place: String) {
        #expect(FileManager.default.createFile(atPath: "\(test.path)/\(place)", contents: Data(bytes)))
    }

    private var proxy: String { photo.file.place }
    private var edited: String { proxy.replacingOccurrences(of: ".proxy.jpg", with: ".edited.jpg") }

    @Test func itIsKeptBesideTheFinal() throws {
        write([7, 7, 7], to: proxy)
        let finished = try finish()
        #expect(finished.editedProxy == "\(test.path)/\(edited)")
        #expect(test.bytes(edited) == [7, 7, 7])
        #expect(test.bytes(finished.file.place) == [5])
        #expect(!test.places.contains(proxy))
    }

    @Test func openingTheLibraryLeavesIt() throws {
        write([7, 7, 7], to: proxy)
        _ = try finish()
        _ = try test.open()
        #expect(test.bytes(edited) == [7, 7, 7])
    }

    @Test func itReplacesNoOther() throws {
        write([7, 7, 7], to: proxy)
        write([8], to: edited)
        let finished = try finish()
        #expect(test.bytes(edited) == [8])
        let second = edited.replacingOccurrences(of: ".edited.jpg", with: ".edited-2.jpg")
        #expect(finished.editedProxy == "\(test.path)/\(second)" && test.bytes(second) == [7, 7, 7])
    }

    @Test func oneThatNobodyChangedIsRemoved() throws {
        let finished = try finish()
        #expect(finished.editedProxy == nil)
        #expect(test.places.filter { $0.hasPrefix("photos/") } == [finished.file.place])
    }

    @Test func oneThatIsGoneHoldsUpNothing() throws {
        try FileManager.default.removeItem(atPath: "\(test.path)/\(proxy)")
        let finished = try finish()
        #expect(finished.editedProxy == nil && finished.state == .finished)
    }
}
