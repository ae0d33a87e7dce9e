// SPDX-License-Identifier: MIT
// Which photos `livecap library` selects, and that a photo that fails does not affect the others.

import Foundation
import LivecapFrames
import LivecapPhotoStorage
import Testing

@Suite struct LibraryChoiceTests {
    private let files: Scratch
    private var folder: String { files.path("library") }

    init() throws { files = try Scratch() }

    private func run(_ words: String..., shell: String? = nil) throws -> Outcome {
        try RunningLivecap(["library"] + words + ["--library", folder], shell: shell).finish()
    }

    /// Makes a library with `count` finished photos, one per day from 2026-11-21 on, each a byte larger than the
    /// previous one.
    private func fill(_ count: Int) throws {
        let library = try PhotoLibrary(folder)
        for number in 0..<count {
            let photo = NewPhoto(
                tap: .zero, reference: .zero,
                taken: CalendarTime(
                    utcNanoseconds: 1_795_300_200_000_000_000 + Int64(number) * 86_400_000_000_000,
                    zoneOffsetSeconds: 3600),
                format: .jpeg, size: FrameSize(width: 16, height: 8), qualityAsked: .quality, qualityGiven: .quality)
            _ = try library.addFinished(photo, [UInt8](repeating: 1, count: 3 + number))
        }
    }

    private func numbers(_ words: String...) throws -> [Int] {
        let outcome = try RunningLivecap(["library", "list", "--json", "--library", folder] + words).finish()
        return try outcome.objects.compactMap { $0["id"] as? Int }
    }

    @Test func anEmptyLibraryAndAMissingOneSayWhereTheyWereLookedFor() throws {
        #expect(try run("list").errors.contains(folder))
        try fill(0)
        let empty = try run("list")
        #expect(empty.status == 0 && empty.errors.contains("no photos in \(folder)"), "\(empty.errors)")
        #expect(try run("export", "-o", files.path("out/")).errors.contains("--all"))
    }

    @Test func aPhotoThatFailsKeepsNoneOfTheOthers() throws {
        try fill(4)
        let outcome = try run("remove", "1", "99", "2", "--json")
        #expect(outcome.status == 66)
        let objects = try outcome.objects
        #expect(objects.map { $0["id"] as? Int } == [1, 99, 2])
        #expect(objects.map { $0["removed"] as? Bool } == [true, nil, true])
        #expect(
            objects[1]["code"] as? String == "no-such-photo" && objects[1]["error"] as? String == "no photo 99"
        )
        #expect(try numbers() == [4, 3])
        let out = files.path("out") + "/"
        let exported = try run("export", "3", "98", "4", "-o", out)
        #expect(exported.status == 66 && exported.errors.contains("no photo 98"))
        #expect(exported.output.split(separator: "\n").count == 2)
        let finished = try run("finish", "3", "98", "4", "--json")
        #expect(finished.status == 66)
        #expect(try finished.objects.map { $0["id"] as? Int } == [3, 98, 4])
        #expect(try run("show", "98", "3", "--json").objects.map { $0["id"] as? Int } == [98, 3])
    }

    @Test func theFirstFailureDecidesTheStatus() throws {
        try fill(3)
        let out = files.path("out") + "/"
        #expect(try run("export", "1", "-o", out).status == 0)
        #expect(try run("export", "1", "99", "2", "-o", out).status == 73)
        #expect(try run("export", "99", "1", "-o", out).status == 66)
    }

    @Test func rangesAreOfThePhotosThereAre() throws {
        try fill(6)
        #expect(try run("remove", "3").status == 0)
        #expect(try run("show", "2-4", "--json").objects.map { $0["id"] as? Int } == [2, 4])
        #expect(try run("show", "5-", "4-5", "--json").objects.map { $0["id"] as? Int } == [5, 6, 4])
        let none = try run("show", "30-", "--json")
        #expect(none.status == 66)
        #expect(try none.object["error"] as? String == "no photos with numbers 30-")
        for word in ["9-3", "-3", "0-2", "1-x", "1-2-3"] { #expect(try run("show", word).status == 64, "\(word)") }
    }

    @Test func allPhotosAreExported() throws {
        try fill(3)
        let out = files.path("out") + "/"
        let exported = try run("export", "--all", "-o", out, "--json")
        #expect(exported.status == 0)
        #expect(try exported.objects.map { $0["id"] as? Int } == [1, 2, 3])
        #expect(try run("export", "--all", "1", "-o", out).status == 64)
        #expect(try run("export").status == 64)
        #expect(try run("export", "--date", "2026-11-23", "-o", files.path("day") + "/", "--json").objects.count == 1)
    }

    /// In local time: the photos are taken at 23:30, half an hour before the next day.
    @Test func daysAreThoseOfTheCalendar() throws {
        try fill(4)
        #expect(try numbers("--date", "2026-11-22") == [2])
        #expect(try numbers("--date", "2026-11-22..2026-11-23") == [3, 2])
        #expect(try numbers("--date", "2026-11-23..") == [4, 3])
        #expect(try numbers("--date", "..2026-11-21") == [1])
        #expect(try numbers("--date", "2026-11-25").isEmpty)
        for days in ["2026-02-30", "22.11.2026", "..", "2026-11-23..2026-11-22", "2026-11-2"] {
            #expect(try run("list", "--date", days).status == 64, "\(days)")
        }
    }

    @Test func aListIsSortedAndLimited() throws {
        try fill(3)
        #expect(try numbers("--sort", "oldest") == [1, 2, 3])
        #expect(try numbers("--sort", "oldest", "--after", "1") == [2, 3])
        #expect(try numbers("--sort", "size", "-n", "2") == [3, 2])
        #expect(try run("list", "--sort", "size", "--after", "1").status == 64)
        #expect(try run("list").errors.contains("the library has 3 photos, 12 B"))
    }

    /// On a terminal the user is asked, and only a clear yes removes anything.
    @Test(
        arguments: [("n\n", 3), ("\n", 3), ("yes\n", 1), ("Y\n", 1)],
        [["remove", "1", "2"], ["remove", "--for-good", "1", "2"]])
    func removingAsksOnATerminal(_ answer: (text: String, left: Int), words: [String]) throws {
        try fill(3)
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            ["library"] + words + ["--library", folder],
            shell: "exec \"$@\" <'\(terminal.path)' 2>'\(terminal.path)'")
        terminal.type(answer.text)
        #expect(program.finish().status == 0)
        #expect(try numbers().count == answer.left)
    }

    @Test func whatIsRemovedCanBeHadBack() throws {
        try fill(5)
        let removed = try run("remove", "1", "2")
        #expect(removed.output == "moved photo 1 to the trash\nmoved photo 2 to the trash\n")
        #expect(removed.errors.contains("'livecap library restore' brings them back"), "\(removed.errors)")
        #expect(try run("remove", "4", "--json").object["trash"] as? Bool == true)
        #expect(try run("remove", "4").output == "photo 4 is in the trash already\n")
        #expect(try numbers() == [5, 3] && numbers("--trash") == [4, 2, 1])
        #expect(
            try run("list").errors.contains("the library has 2 photos") && run("list").errors.contains("3 photos in"))
        #expect(try run("show", "4").output.contains("in the trash"))
        #expect(try run("export", "--all", "--json", "-o", files.path("out") + "/").objects.count == 2)
        // What was removed last, then what was removed before.
        #expect(try run("restore").output == "restored photo 4\n")
        #expect(try run("restore", "--json").objects.map { $0["id"] as? Int } == [1, 2])
        #expect(try numbers() == [5, 4, 3, 2, 1])
        let none = try run("restore")
        #expect(none.status == 66 && none.errors.contains("no photos in the trash"), "\(none.errors)")
        #expect(try run("restore", "3").output == "photo 3 is not in the trash\n")
        #expect(try run("restore", "3-").status == 66)
    }

    @Test func theTrashIsEmptied() throws {
        try fill(4)
        #expect(try run("empty").errors.contains("the trash is empty"))
        #expect(try run("remove", "2-3").status == 0)
        #expect(try run("restore", "1-2").output == "restored photo 2\n")
        #expect(try run("empty", "--json").object["id"] as? Int == 3)
        #expect(try run("restore", "3", "--json").object["code"] as? String == "no-such-photo")
        #expect(try run("remove", "1").status == 0)
        #expect(try run("clean", "--json").object["removedPhotos"] as? Int == 0)
        #expect(try run("clean", "--trash-age", "0", "--json").object["removedPhotos"] as? Int == 1)
        #expect(try numbers() == [4, 2] && numbers("--trash").isEmpty)
    }

    @Test func photosAreFoundByTheirStars() throws {
        try fill(4)
        #expect(try run("rate", "--stars", "5", "1", "3").output == "photo 1: 5 stars\nphoto 3: 5 stars\n")
        #expect(try run("rate", "--stars", "1", "2", "--json").object["rating"] as? Int == 1)
        #expect(try numbers("--stars", "2") == [3, 1] && numbers("--stars", "1", "--date", "2026-11-22") == [2])
        #expect(try run("list", "--stars", "5").output.contains("*****"))
        #expect(try run("rate", "--stars", "0", "3").output == "photo 3: no rating\n")
        #expect(try numbers("--stars", "5") == [1])
        for words in [
            ["rate", "1"], ["rate", "--stars", "6", "1"], ["rate", "--stars", "2"], ["list", "--stars", "0"],
        ] {
            #expect(try RunningLivecap(["library"] + words + ["--library", folder]).finish().status == 64, "\(words)")
        }
    }

    @Test func nobodyIsAskedWithYes() throws {
        try fill(2)
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            ["library", "remove", "1", "-y", "--library", folder],
            shell: "exec \"$@\" <'\(terminal.path)' 2>'\(terminal.path)'")
        #expect(program.finish().status == 0)
        #expect(try numbers() == [2])
    }

    @Test func anActionHasHelpOfItsOwn() throws {
        let asked = try livecap("help", "library", "finish")
        #expect(asked.status == 0 && asked.output.hasPrefix("livecap library finish: "))
        #expect(asked.output.contains("--budget") && !asked.output.contains("--unfinished"))
        #expect(try livecap("library", "finish", "--help").output == asked.output)
        let overview = try livecap("library", "--help").output
        for action in ["list", "show", "rate", "finish", "export", "verify", "remove", "restore", "empty", "clean"] {
            #expect(overview.contains("\n  \(action) "))
        }
    }

    @Test func allKeptFramesMayGo() throws {
        try fill(1)
        #expect(try run("clean", "--budget", "0").status == 0)
    }
}
