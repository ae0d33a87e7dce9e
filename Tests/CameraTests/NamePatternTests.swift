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
}
