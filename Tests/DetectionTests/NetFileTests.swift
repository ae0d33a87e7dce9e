// SPDX-License-Identifier: MIT
// Nets are loaded from files whose contents are known, and from no others.

import Foundation
import Testing

@testable import LivecapDetection

@Suite struct NetFileTests {
    /// A folder that is removed with the test.
    private final class Folder {
        let path = NSTemporaryDirectory() + "nets-\(UUID().uuidString)"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        func write(_ name: String, _ bytes: Data) throws {
            try bytes.write(to: URL(fileURLWithPath: path + "/" + name))
        }
    }

    private let file = NetFile(name: "abc", checksum: "06b05ab6733a618578af5f94892f3950")

    @Test func aFileWithTheKnownContentsIsTaken() throws {
        let folder = try Folder()
        try folder.write("abc", Data("abc".utf8))
        let checked = try #require(try CheckedFile(file, in: folder.path))
        #expect(Array(checked.bytes) == Array("abc".utf8))
    }

    @Test(arguments: ["abd", "ab", "abcd", ""]) func aFileWithOtherContentsIsRefused(_ contents: String) throws {
        let folder = try Folder()
        try folder.write("abc", Data(contents.utf8))
        #expect(throws: NetError.otherVersion(path: folder.path + "/abc")) { try CheckedFile(file, in: folder.path) }
    }

    @Test func whatIsNoFileIsNone() throws {
        let folder = try Folder()
        #expect(try CheckedFile(file, in: folder.path) == nil)
        try FileManager.default.createDirectory(atPath: folder.path + "/abc", withIntermediateDirectories: false)
        #expect(try CheckedFile(file, in: folder.path) == nil)
    }

    /// A pipe without a writer would wait for one.
    @Test func aPipeIsNotOpened() throws {
        let folder = try Folder()
        #expect(mkfifo(folder.path + "/abc", 0o600) == 0)
        #expect(try CheckedFile(file, in: folder.path) == nil)
    }

    /// The program and the script that fetches the files know the same ones.
    @Test func theScriptFetchesTheFilesThatTheProgramKnows() throws {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/effects.txt")
        let known = try String(contentsOf: list, encoding: .utf8)
        // A file's hashes are on the line after its name.
        let lines = known.split(separator: "\n")
        for file in NetModel.allCases.map(\.file) + [NetFile.liteRT].compactMap(\.self) {
            let isListed = zip(lines, lines.dropFirst()).contains {
                $0.hasPrefix("file \(file.name) ") && $1.hasSuffix(" " + file.checksum)
            }
            #expect(isListed, "\(file.name) \(file.checksum)")
        }
    }

    @Test func aDamagedFileInOneFolderDoesNotHideAGoodOneInAnother() throws {
        let (damaged, good) = (try Folder(), try Folder())
        try damaged.write("abc", Data("abd".utf8))
        try good.write("abc", Data("abc".utf8))
        #expect(try CheckedFile(file, inOneOf: [damaged.path, good.path]) != nil)
        #expect(throws: NetError.otherVersion(path: damaged.path + "/abc")) {
            try CheckedFile(file, inOneOf: [damaged.path, "/nowhere"])
        }
    }

    @Test func aDamagedRuntimeIsNotLoaded() throws {
        let folder = try Folder()
        try folder.write("libLiteRt.so", Data("damaged".utf8))
        #expect(throws: NetError.otherVersion(path: folder.path + "/libLiteRt.so")) {
            try Nets(in: [folder.path], wanted: .liteRT)
        }
    }

    @Test func anEmptyFolderSaysWhatIsMissing() throws {
        let folder = try Folder()
        let error = #expect(throws: NetError.self) { try Nets(in: [folder.path], wanted: .liteRT) }
        #expect(error == .noRuntime(folders: [folder.path]))
        #expect(error?.hint.contains("make effects") == true)
    }
}
