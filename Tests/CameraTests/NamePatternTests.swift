// SPDX-License-Identifier: MIT
// Names of movies and recordings that stand for a number or a moment.

import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapFrameFiles

@Suite struct NamePatternTests {
    private let folder = TemporaryFolder()
    /// 2026-11-23 00:30:05 UTC, in a zone an hour and a half behind UTC.
    private let moment = CalendarTime(
        sinceEpoch: .milliseconds(1_795_393_805_250), utcOffset: .milliseconds(-5_400_000))

    private func filled(_ name: String, mayReplace: Bool = false) throws -> String {
        let path = try NamePattern.filled(folder.file(name), at: moment, mayReplace: mayReplace)
        #expect(path.folderPath == folder.file("x").folderPath)
        return path.lastName
    }

    private func put(_ name: String) { close(open(folder.file(name), O_CREAT | O_WRONLY, 0o600)) }

    @Test func aMomentIsFilledIn() throws {
        #expect(try filled("%Y%m%d.mkv") == "20261122.mkv")
        #expect(try filled("walk %F %H-%M-%S.lcap") == "walk 2026-11-22 23-00-05.lcap")
    }

    @Test func aNumberFollowsThoseThatAreThere() throws {
        #expect(try filled("tl%03d.mkv") == "tl001.mkv")
        put("tl007.mp4")
        #expect(try filled("tl%03d.mkv") == "tl008.mkv")
        #expect(try filled("tl%03d.mkv", mayReplace: true) == "tl001.mkv")
    }

    @Test func aMomentThatIsTakenGetsANumber() throws {
        put("20261122.mkv")
        #expect(try filled("%Y%m%d.mkv") == "20261122-1.mkv")
        #expect(try filled("%Y%m%d.mkv", mayReplace: true) == "20261122.mkv")
        put("20261122-01.mkv")
        #expect(try filled("%Y%m%d-%02d.mkv") == "20261122-02.mkv")
    }

    @Test func otherNamesStandForThemselves() throws {
        put("a.mkv")
        #expect(try filled("a.mkv") == "a.mkv")
        #expect(try filled("100%%.mkv") == "100%.mkv")
        for path in ["-", "/dev/null", "frames/"] { #expect(try NamePattern.filled(path, at: moment) == path) }
    }

    @Test(arguments: ["%Q.mkv", "%5s.mkv", "%03i.mkv", "%D.mkv", "%1234d.mkv"])
    func unknownPlaceholdersAreRefusedInWords(name: String) throws {
        let error = #expect(throws: FileError.self) { try filled(name) }
        #expect(error?.message.contains("stands for nothing") == true && error?.hint.contains("%03d") == true)
    }

    // MARK: Folders

    /// The path below the test's folder.
    private func place(_ name: String) throws -> String {
        let path = try NamePattern.filled(folder.file(name), at: moment)
        #expect(path.hasPrefix(folder.file("")))
        return String(path.dropFirst(folder.file("").count))
    }

    private func isFolder(_ name: String) -> Bool {
        var status = stat()
        return stat(folder.file(name), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    @Test func foldersOfDatesAreMade() throws {
        #expect(try place("%Y/%m/%d/walk.mkv") == "2026/11/22/walk.mkv" && isFolder("2026/11/22"))
        #expect(try place("%F/raw/%H%M%S.lcap") == "2026-11-22/raw/230005.lcap" && isFolder("2026-11-22/raw"))
        // They are there now.
        #expect(try place("%Y/%m/%d/walk.mkv") == "2026/11/22/walk.mkv")
    }

    @Test func filesAreNumberedInTheirFolder() throws {
        #expect(try place("%F/%03d.mkv") == "2026-11-22/001.mkv")
        put("2026-11-22/004.mkv")
        #expect(try place("%F/%03d.mkv") == "2026-11-22/005.mkv")
        // In a folder of a month, it is the day.
        #expect(try place("%Y-%m/%d.mkv") == "2026-11/22.mkv")
        #expect(try place("%d.mkv") == "1.mkv")
    }

    @Test func aFolderThatIsThereStandsForItself() throws {
        for name in ["%Y", "50%off", "%03d"] { mkdir(folder.file(name), 0o700) }
        #expect(try place("%Y/a.mkv") == "%Y/a.mkv" && place("50%off/%F.mkv") == "50%off/2026-11-22.mkv")
        #expect(try place("%03d/%03d.mkv") == "%03d/001.mkv")
        #expect(try place("100%%/a.mkv") == "100%/a.mkv" && isFolder("100%"))
    }

    /// Only folders that are dates, and what is in them, are made.
    @Test func otherFoldersAreNotMade() throws {
        #expect(try place("none/a.mkv") == "none/a.mkv" && !isFolder("none"))
        let error = #expect(throws: FileError.self) { try place("none/%Y/a.mkv") }
        #expect(error?.message.contains("none") == true)
        put("file")
        #expect(throws: FileError.self) { try place("file/%Y/a.mkv") }
    }

    @Test(arguments: ["%03d/a.mkv", "%Y/%2d/a.mkv", "%Q/a.mkv"]) func foldersHaveNoNumbers(_ name: String) throws {
        let error = #expect(throws: FileError.self) { try place(name) }
        #expect(error?.hint.contains("%03d") == true)
        #expect(!isFolder("2026"))
    }
}
