// SPDX-License-Identifier: MIT
// A file or folder that replaces one of the library's is neither used nor touched.

import Foundation
import LivecapFiles
import LivecapThreads
import Testing

@testable import LivecapPhotoStorage

@Suite struct SwappedFilesTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    /// Between the opening of the folder and that of its catalogue, another folder takes the name.
    @Test func aFolderThatTakesTheLibrarysNameGetsNoCatalogue() throws {
        let (path, moved) = (test.path, "\(test.folder)/moved")
        let isSwapped = Guarded(false)
        var options = LibraryOptions()
        options.calls = FileCalls(sync: { descriptor in
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            let isTurn = isSwapped.withLock { isSwapped in
                defer { isSwapped = isSwapped || name == path }
                return !isSwapped && name == path
            }
            if isTurn {
                try? FileManager.default.moveItem(atPath: path, toPath: moved)
                try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            return fsync(descriptor)
        })
        let library = try test.open(options)
        _ = try library.addFinished(newPhoto(), [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        #expect(try PhotoLibrary(moved).photos().count == 1)
    }

    @Test func aLockThatIsAnothersFileIsLeftAlone() throws {
        _ = try test.open()
        let other = "\(test.folder)/other"
        try Data("precious".utf8).write(to: URL(filePath: other))
        try #require(chmod(other, 0o644) == 0)
        try FileManager.default.removeItem(atPath: "\(test.path)/lock")
        try FileManager.default.linkItem(atPath: other, toPath: "\(test.path)/lock")
        #expect(throws: LibraryError.unsafePath("\(test.path)/lock", detail: "it has a second hard link")) {
            try test.open()
        }
        #expect(try FileManager.default.attributesOfItem(atPath: other)[.posixPermissions] as? Int == 0o644)
        #expect(FileManager.default.contents(atPath: other) == Data("precious".utf8))
    }
}
