// SPDX-License-Identifier: MIT
// Photos get the right names, are complete or do not exist, and leave nothing else behind.

import Dispatch
import Foundation
import LivecapFiles
import LivecapStills
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

/// A temporary folder.
final class PhotoFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    /// The names in the folder, including hidden ones.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: file(name)).map { [UInt8]($0) } }
    func put(_ bytes: [UInt8], _ name: String) {
        #expect(FileManager.default.createFile(atPath: file(name), contents: Data(bytes)))
    }
}

@Suite struct PhotoFilesTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    private func files(
        _ name: String, _ format: StillFormat = .jpeg, count: Int = 1, mayReplace: Bool = false,
        calls: FileCalls = FileCalls()
    ) throws -> PhotoFiles {
        try PhotoFiles(folder.file(name), format, count: count, mayReplace: mayReplace, calls: calls)
    }

    @Test func onePhotoGetsTheNameAskedFor() throws {
        #expect(try files("a.jpg").write([1, 2, 3], number: 1) == folder.file("a.jpg"))
        #expect(folder.bytes("a.jpg") == [1, 2, 3] && folder.names == ["a.jpg"])
    }

    @Test func severalGetTheirNumbersBeforeTheSuffix() throws {
        let files = try files("a.b.jpg", count: 3)
        for number in [3, 1] { _ = try files.write([UInt8(number)], number: number) }
        #expect(folder.names == ["a.b-1.jpg", "a.b-3.jpg"])
        #expect(folder.bytes("a.b-3.jpg") == [3])
    }

    @Test func aDirectoryIsMadeAndCountedOn() throws {
        let first = try files("photos/")
        #expect(try first.write([1], number: 1) == folder.file("photos/livecap-0001.jpg"))
        #expect(try first.write([2], number: 2) == folder.file("photos/livecap-0002.jpg"))
        // Numbers of removed photos are not used again, and photos of other formats count, too.
        try FileManager.default.removeItem(atPath: folder.file("photos/livecap-0001.jpg"))
        #expect(try files("photos", .png).write([3], number: 1) == folder.file("photos/livecap-0003.png"))
    }

    @Test func photosDoneInAnotherOrderKeepTheirNumbers() throws {
        let files = try files("")
        folder.put([0], "livecap-0006.jpg")
        #expect(try files.write([2], number: 2) == folder.file("livecap-0008.jpg"))
        #expect(try files.write([1], number: 1) == folder.file("livecap-0007.jpg"))
    }

    @Test func whatIsNoNumberOfOursIsNotCounted() throws {
        for name in ["livecap-20261121.jpg", "livecap-x.jpg", "livecap-.jpg", "0041.jpg"] { folder.put([0], name) }
        folder.put([0], "livecap-0040.png")
        #expect(try files("").write([1], number: 1) == folder.file("livecap-0041.jpg"))
    }

    @Test func aNumberTakenByAnotherProgramIsPassedOver() throws {
        let files = try files("")
        #expect(try files.write([1], number: 1) == folder.file("livecap-0001.jpg"))
        folder.put([9], "livecap-0002.jpg")
        #expect(try files.write([2], number: 2) == folder.file("livecap-0003.jpg"))
        #expect(folder.bytes("livecap-0002.jpg") == [9])
    }

    @Test func threadsThatWriteAtOnceLoseNothing() throws {
        // Two objects, as two programs would have.
        let writers = try [files(""), files("")]
        let paths = Guarded<[String: UInt8]>([:])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for photo in 0..<16 {
                let mine = UInt8(thread * 16 + photo)
                do {
                    let path = try writers[thread % 2].write(Array(repeating: mine, count: 5000), number: photo + 1)
                    paths.withLock { #expect($0.updateValue(mine, forKey: path) == nil, "\(path) came twice") }
                } catch {
                    Issue.record(error)
                }
            }
        }
        let written = paths.withLock { $0 }
        #expect(folder.names == (1...64).map { String(format: "livecap-%04d.jpg", $0) })
        for (path, value) in written {
            #expect(FileManager.default.contents(atPath: path) == Data(repeating: value, count: 5000))
        }
    }

    @Test func whatIsThereIsKeptUnlessItMayBeReplaced() throws {
        folder.put([9], "a.jpg")
        #expect(throws: FileError.failed(folder.file("a.jpg"), call: "rename", errno: EEXIST)) {
            try files("a.jpg").write([1], number: 1)
        }
        #expect(folder.bytes("a.jpg") == [9] && folder.names == ["a.jpg"])
        _ = try files("a.jpg", mayReplace: true).write([1], number: 1)
        #expect(folder.bytes("a.jpg") == [1] && folder.names == ["a.jpg"])
    }

    @Test func aPhotoIsNotNamedWhatItIsNot() throws {
        for (name, format) in [("a.png", StillFormat.jpeg), ("a.jpg", .png), ("a.heic", .jpeg), ("a.tiff", .jpeg)] {
            #expect(throws: FileError.self) { try files(name, format) }
        }
    }

    @Test func filePermissionsFollowTheUmask() throws {
        _ = try files("a.jpg").write([1], number: 1)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        let mask = try #require(line.split(separator: "\t").last.flatMap { Int($0, radix: 8) })
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a.jpg"))[.posixPermissions] as? Int
        #expect(mode == 0o666 & ~mask)
    }
}
