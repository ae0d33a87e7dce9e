// SPDX-License-Identifier: MIT
// Where photos may go: only regular files are replaced, and the place is checked before any photo is taken.

import Foundation
import LivecapFiles
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct PhotoPlaceTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    private func files(
        _ name: String, _ format: StillFormat = .jpeg, count: Int = 1, mayReplace: Bool = false
    ) throws -> PhotoFiles {
        try PhotoFiles(folder.file(name), format, count: count, mayReplace: mayReplace)
    }

    private func kind(_ name: String) -> mode_t {
        var status = stat()
        return lstat(folder.file(name), &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    @Test(arguments: [
        ("shot.jpg", "shot-camera2.jpg"), ("shot", "shot-camera2.jpg"), ("%03d.png", "001-camera2.png"),
        ("new/", "new/livecap-0001-camera2.jpg"), (".x.jpg", ".x-camera2.jpg"),
    ])
    func aMarkComesBeforeTheEnding(_ output: String, _ expected: String) throws {
        let format: StillFormat = output.hasSuffix(".png") ? .png : .jpeg
        let files = try PhotoFiles(folder.file(output), format, count: 1, mayReplace: false, mark: "-camera2")
        _ = try files.write([1], number: 1)
        #expect(folder.bytes(expected) == [1])
    }

    @Test func whatIsNoRegularFileIsNeverReplaced() throws {
        let socket = try #require(UnixSocket(folder.file("socket")))
        defer { withExtendedLifetime(socket) {} }
        folder.put([9], "target.jpg")
        try #require(symlink("target.jpg", folder.file("link.jpg")) == 0)
        try #require(rename(folder.file("socket"), folder.file("socket.jpg")) == 0)
        for name in ["link.jpg", "socket.jpg"] {
            let before = kind(name)
            #expect(throws: FileError.self) { try files(name, mayReplace: true).write([1], number: 1) }
            #expect(kind(name) == before, "\(name)")
        }
        #expect(folder.bytes("target.jpg") == [9] && folder.names == ["link.jpg", "socket.jpg", "target.jpg"])
    }

    @Test func whatTakesTheNameMeanwhileIsNotReplacedEither() throws {
        let files = try files("a.jpg", mayReplace: true)
        try #require(mkfifo(folder.file("a.jpg"), 0o600) == 0)
        #expect(throws: FileError.self) { try files.write([1], number: 1) }
        #expect(kind("a.jpg") == S_IFIFO && folder.names == ["a.jpg"])
    }

    @Test(arguments: [true, false]) func aPipeIsWrittenThrough(mayReplace: Bool) throws {
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        let reader = open(folder.file("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        // Numbers are only for names: several photos are written to the pipe one after the other.
        let files = try files("pipe", count: 2, mayReplace: mayReplace)
        for number in 1...2 { #expect(try files.write([UInt8(number), 7], number: number) == folder.file("pipe")) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 4 && bytes.prefix(4) == [1, 7, 2, 7])
        #expect(kind("pipe") == S_IFIFO && folder.names == ["pipe"])
    }

    @Test func severalPhotosCountOnFromTheLargestNumberThere() throws {
        for name in ["day-1.png", "day-7.png", "day-x.png", "days-9.png"] { folder.put([9], name) }
        let files = try files("day.png", .png, count: 2)
        #expect(try files.write([1], number: 1) == folder.file("day-8.png"))
        // Another program takes this name meanwhile.
        folder.put([9], "day-9.png")
        #expect(try files.write([2], number: 2) == folder.file("day-10.png"))
        #expect(folder.bytes("day-1.png") == [9] && folder.bytes("day-9.png") == [9])
        #expect(try self.files("day.png", .png, count: 2, mayReplace: true).path(1) == folder.file("day-1.png"))
    }

    @Test func theFolderIsTriedBeforeAnyPhotoIsTaken() throws {
        for name in ["missing/a.jpg", "missing/deeper/"] {
            #expect(throws: FileError.failed(folder.file(name), call: "open", errno: ENOENT)) {
                try files(name, count: 2)
            }
        }
        folder.put([9], "a.jpg")
        #expect(throws: FileError.failed(folder.file("a.jpg"), call: "rename", errno: EEXIST)) {
            try files("a.jpg")
        }
        // A folder in which nobody can create files, not even root.
        #expect(throws: FileError.self) { try PhotoFiles("/proc/self/", .jpeg, count: 2, mayReplace: false) }
        #expect(folder.names == ["a.jpg"])
    }

    /// The names of later photos have numbers.
    @Test func namesAreTriedAtTheirFullLengthBeforeAnyPhotoIsTaken() throws {
        let long = String(repeating: "n", count: 250)
        for (name, count) in [(long + ".jpg", 2), (long + "123456.jpg", 1), (long + "n.%d", 1), (long + "123456/", 2)] {
            let error = try #require(throws: FileError.self) { try files(name, count: count) }
            guard case .failed(_, _, ENAMETOOLONG) = error else {
                Issue.record("\(name): \(error)")
                continue
            }
        }
        #expect(try files(long + ".jpg").write([1], number: 1) == folder.file(long + ".jpg"))
    }

    @Test func theFilesOfOtherKindsOfFramesGetNoPicture() throws {
        for name in ["a.lcap", "a.y4m", "a.mjpg", "a.mkv", "a.mp4"] {
            #expect(throws: FileError.self) { try files(name) }
        }
    }

    @Test func aNameWithoutASuffixGetsTheFormats() throws {
        #expect(try files("rh", .heic).write([1], number: 1) == folder.file("rh.heic"))
        #expect(try files("rh", .heic, count: 2).write([1], number: 1) == folder.file("rh-1.heic"))
        #expect(try files("2026.11.27", .heic).write([1], number: 1) == folder.file("2026.11.27"))
    }

    @Test(arguments: [
        ("a.jgp", "a.jpg"), ("a.JPGE", "a.jpg"), ("a.pgn", "a.png"), ("a.hiec", "a.heic"), ("a.xyz", "a.jpg"),
        ("%Y.jp", "%Y.jpg"),
    ]) func anUnknownEndingIsRefusedWithTheNearest(name: String, near: String) throws {
        let error = #expect(throws: FileError.self) { try files(name) }
        #expect(error?.hint == "did you mean \(folder.file(near))?")
    }

    @Test func aNameMaySayWhereTheNumberGoes() throws {
        folder.put([9], "n-004.jpg")
        #expect(try files("n-%03d.jpg").write([1], number: 1) == folder.file("n-005.jpg"))
        #expect(try files("100%%-%d", count: 3).write([1], number: 2) == folder.file("100%-2.jpg"))
        #expect(try files("50%.jpg").write([1], number: 1) == folder.file("50%.jpg"))
    }

    @Test func aNameMaySayWhereTheMomentGoes() throws {
        // 2026-11-23 00:30:05 UTC, in a zone an hour and a half behind UTC.
        let moment = CalendarTime(sinceEpoch: .milliseconds(1_795_393_805_250), utcOffset: .milliseconds(-5_400_000))
        let files = try files("%Y%m%d-%H%M%S.jpg", count: 2, mayReplace: true)
        #expect(try files.write([1], number: 1, at: moment) == folder.file("20261122-230005.jpg"))
        // Two photos of the same second, even where older files may be replaced.
        #expect(try files.write([2], number: 2, at: moment) == folder.file("20261122-230005-1.jpg"))
        #expect(folder.bytes("20261122-230005.jpg") == [1])
        #expect(
            try self.files("%F_%2d.png", .png).write([1], number: 3, at: moment) == folder.file("2026-11-22_03.png"))
    }

    /// 2026-11-22 and, a day later, 2026-11-23.
    @Test func aPhotoGoesIntoTheFolderOfItsMoment() throws {
        let days = (0...1).map { CalendarTime(sinceEpoch: .seconds(1_795_305_600 + 86_400 * $0)) }
        let files = try files("%Y-%m/%d/n%02d.jpg", count: 3)
        #expect(folder.names.isEmpty, "there is no photo yet")
        #expect(try files.write([1], number: 1, at: days[0]) == folder.file("2026-11/22/n01.jpg"))
        #expect(try files.write([2], number: 2, at: days[1]) == folder.file("2026-11/23/n02.jpg"))
        #expect(try files.write([3], number: 3, at: days[0]) == folder.file("2026-11/22/n03.jpg"))
        #expect(folder.bytes("2026-11/23/n02.jpg") == [2] && files.path(1) == nil)
        // A later program goes on with the numbers of that day.
        #expect(
            try self.files("%Y-%m/%d/n%02d.jpg").write([4], number: 1, at: days[1]) == folder.file("2026-11/23/n03.jpg")
        )
        #expect(try self.files("%F/a.jpg").write([5], number: 1, at: days[1]) == folder.file("2026-11-23/a.jpg"))
        #expect(try self.files("%F/a.jpg").write([6], number: 1, at: days[1]) == folder.file("2026-11-23/a-1.jpg"))
        #expect(try self.files("%F/").write([7], number: 1, at: days[0]) == folder.file("2026-11-22/livecap-0001.jpg"))
    }

    @Test func aFolderThatCannotBeMadeIsKnownBefore() throws {
        #expect(throws: FileError.self) { try files("none/%Y/a.jpg") }
        #expect(throws: FileError.self) { try files("%Y/%03d/a.jpg") }
        folder.put([9], "2026")
        let moment = CalendarTime(sinceEpoch: .seconds(1_795_305_600))
        #expect(throws: FileError.self) { try files("%Y/a.jpg").write([1], number: 1, at: moment) }
        #expect(folder.names == ["2026"])
    }

    @Test(arguments: ["%Q.jpg", "%D.jpg", "%c.jpg", "%3d%3d.jpg"]) func whatStandsForNothingIsRefused(name: String)
        throws
    {
        #expect(throws: FileError.self) { try files(name) }
    }

    @Test func aTraceReplacesNoLinksTarget() throws {
        folder.put([9], "target")
        try #require(symlink("target", folder.file("link")) == 0)
        #expect(throws: FileError.self) { try Trace(path: folder.file("link")) }
        #expect(folder.bytes("target") == [9])
        _ = try Trace(path: "/dev/null", overwrite: false)
    }
}

/// A socket with a name in the file system.
private final class UnixSocket {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }
}
