// SPDX-License-Identifier: MIT
// A temporary library, and photos and frames to put into it.

import Foundation
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapProcesses
import Testing

@testable import LivecapPhotoStorage

/// A temporary folder for a library.
final class TestLibrary {
    let folder: String
    var path: String { "\(folder)/library" }

    private let knowsUptime: Bool

    /// Tests that give moments of their own need a system that does not know for how long it has been running.
    init(knowsUptime: Bool = true) throws {
        self.knowsUptime = knowsUptime
        let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Opens the library, with usual options if none are given.
    func open(_ options: LibraryOptions? = nil) throws(LibraryError) -> PhotoLibrary {
        var usual = LibraryOptions()
        if !knowsUptime { usual.uptime = { nil } }
        return try PhotoLibrary(path, options ?? usual)
    }

    /// Every file of the library by its place, sorted, except the lock and SQLite's own files
    /// beside the catalogue.
    var places: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        var isFolder: ObjCBool = false
        return all.filter {
            FileManager.default.fileExists(atPath: "\(path)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue && !$0.hasPrefix("catalogue.sqlite-") && $0 != "lock"
        }.sorted()
    }

    func bytes(_ place: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(place)").map { [UInt8]($0) }
    }

    /// Makes the catalogue one of an earlier schema. No program may have it open.
    func makeOlder(_ version: Int) throws {
        let tables = [
            (version: 2, name: "attempts"), (3, "masks"), (5, "removals"), (4, "trash"), (4, "ratings"), (5, "groups"),
        ].filter { $0.version > version }
        try sql(tables.map { "DROP TABLE \($0.name); " }.joined() + "PRAGMA user_version = \(version); VACUUM")
    }

    /// The output of the sqlite3 program for `sql` on the catalogue.
    @discardableResult
    func sql(_ sql: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sqlite3")
        process.arguments = ["\(path)/catalogue.sqlite", sql]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.awaitEnd()
        #expect(process.terminationStatus == 0)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// 2026-11-21 22:30:15.042 in a zone two hours ahead of UTC.
let someEvening = CalendarTime(sinceEpoch: .milliseconds(1_795_293_015_042), utcOffset: .seconds(7200))

/// A photo to add, taken `later` than `someEvening`.
func newPhoto(later: Duration = .zero, format: StillFormat = .jpeg) -> NewPhoto {
    NewPhoto(
        tap: Timestamp(nanoseconds: 5_000_000_000) + later, reference: Timestamp(nanoseconds: 4_990_000_000) + later,
        taken: someEvening.advanced(by: later), format: format, size: FrameSize(width: 64, height: 48),
        qualityAsked: .quality, qualityGiven: .balanced,
        request: #"{"frames":2}"#, provenance: #"{"made":"proxy"}"#, thumbnail: [1, 2, 3])
}

let greyFrames = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))

/// The header of a stream of small grey frames.
func greyHeader() -> DumpHeader {
    DumpHeader(
        of: SourceDescription(
            name: "test", identity: "test:1", format: greyFrames, rate: FrameRate(30), clock: .monotonic,
            firstTime: nil, frameCount: nil),
        anchor: WallClockAnchor(monotonic: .zero, calendar: someEvening, zoneName: "CEST"))
}

/// The bytes of frame `number`, different for each frame.
func greyBytes(_ number: Int) -> [UInt8] {
    (0..<greyFrames.byteCount).map { (place: Int) -> UInt8 in
        let value = place * 31 + number * 97 + place / 251
        return UInt8(truncatingIfNeeded: value)
    }
}

func greyMetadata(_ number: Int) -> FrameMetadata {
    FrameMetadata(
        time: Timestamp(nanoseconds: Int64(number) * 33_000_000), byteCount: greyFrames.byteCount,
        sequence: UInt32(number), timeSource: .startOfExposure, uncertainty: .milliseconds(2),
        id: FrameID(epoch: 1, counter: UInt64(number)))
}

/// Thrown if no photo can be claimed although one should be.
struct NothingToFinish: Error {}

extension PhotoLibrary {
    /// Whether a photo, or the given one, can be claimed. (`#expect` does not accept the claim,
    /// which is noncopyable.)
    func isToBeFinished(_ id: PhotoID? = nil) throws(LibraryError) -> Bool {
        if case .some = try claimUnfinished(id) { true } else { false }
    }
}

extension BurstWriter {
    /// Appends the frames with these numbers.
    func append(_ numbers: [Int]) throws -> [KeptFrame] {
        try numbers.map { number in
            try greyBytes(number).withUnsafeBytes { try append(greyMetadata(number), $0) }
        }
    }
}

/// Whether this process may mount file systems, found by mounting one on a temporary folder.
func mayMount() -> Bool {
    guard geteuid() == 0 else { return false }
    let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)").path
    mkdir(folder, 0o700)
    defer { rmdir(folder) }
    guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
    umount2(folder, Int32(MNT_DETACH))
    return true
}
