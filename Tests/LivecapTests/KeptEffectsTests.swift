// SPDX-License-Identifier: MIT
// Effects that are kept for cameras: what is kept, who may change it at the same time, and what becomes of a damaged
// file.

import Foundation
import LivecapEffects
import LivecapThreads
import Testing

@testable import livecap

@Suite struct KeptEffectsTests {
    private let files: Scratch
    private let kept: KeptEffects

    init() throws {
        files = try Scratch()
        kept = KeptEffects(path: files.path("state/livecap/effects"))
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: files.path("state/livecap"), withIntermediateDirectories: true)
        try files.write(Array(text.utf8), to: "state/livecap/effects")
    }

    private var content: KeptEffects.Content { kept.read() }

    @Test func withoutAFileNothingIsKept() throws {
        #expect(content == KeptEffects.Content())
        #expect(try !kept.remove("office", of: "usb-1"))
    }

    @Test func eachCameraHasItsOwn() throws {
        try kept.save(EffectSettings(portrait: 0.5), as: "office", of: "usb-1")
        try kept.save(EffectSettings(light: 0.5), as: "office", of: "usb-2")
        try kept.save(EffectSettings(), as: "plain", of: "usb-1")
        #expect(content.list("office", of: "usb-1") == "portrait=0.5")
        #expect(content.list("office", of: "usb-2") == "light=0.5")
        #expect(content.list("plain", of: "usb-1") == "none" && content.list("plain", of: "usb-2") == nil)
        #expect(content.names(of: "usb-1") == ["plain", "office"] && content.notice == nil)
    }

    @Test func savingAgainReplacesAndRemovingForgets() throws {
        for strength in [0.1, 0.2] { try kept.save(EffectSettings(light: strength), as: "a", of: "usb-1") }
        #expect(content.entries.map(\.list) == ["light=0.2"])
        #expect(try kept.remove("a", of: "usb-1") && !kept.remove("a", of: "usb-1"))
        #expect(!FileManager.default.fileExists(atPath: files.path("state/livecap/effects")))
    }

    /// Scenes and cameras that sysfs does not know have ids with all kinds of characters.
    @Test(arguments: [
        "synthetic:tripod:seed=7,noise=strong", "/dev/video 0", "a\tb", "a\nb", "Kamera ä", "#1", "", "/",
        String(repeating: "x", count: 600),
    ])
    func anyIdentityHasItsEffects(camera: String) throws {
        try kept.save(EffectSettings(framing: 1), as: "a", of: camera)
        try kept.save(EffectSettings(light: 1), as: "a", of: "usb-1")
        #expect(content.notice == nil)
        #expect(content.list("a", of: camera) == "framing=1")
        #expect(content.list("a", of: "usb-1") == "light=1")
    }

    @Test(arguments: ["", "two words", "a\tb", "a\nb", "ä", "a/b", String(repeating: "x", count: 65)])
    func oddNamesAreRefused(name: String) {
        #expect(!KeptEffects.isName(name))
        #expect(EffectChoice("profile:\(name)") == nil)
    }

    @Test func aListOfSeveralLinesOrColumnsCannotBeKept() {
        for list in ["", "background=a\tb", "background=a\nb"] { #expect(!KeptEffects.isKeepable(list)) }
        #expect(KeptEffects.isKeepable("background=/home/a b/Café.jpg,light=0.5"))
    }

    @Test func damagedLinesAreLeftOutAndTold() throws {
        try write(
            "# a comment\nusb-1\tday\tlight=0.5\nusb-1\tshort\nusb 2\tday\tnone\nusb-3\ttwo words\tnone\n\u{FFFD}\n")
        #expect(content.entries.map(\.list) == ["light=0.5"])
        #expect(content.notice?.contains("4 lines are ignored") == true)
        // What can be read survives a change.
        try kept.save(EffectSettings(), as: "a", of: "usb-1")
        #expect(content.names(of: "usb-1") == ["a", "day"] && content.notice == nil)
    }

    @Test func noFileAndOneThatIsTooLargeAreTold() throws {
        try FileManager.default.createDirectory(
            atPath: files.path("state/livecap/effects"), withIntermediateDirectories: true)
        #expect(content.entries.isEmpty && content.notice?.contains("not a regular file") == true)
        try FileManager.default.removeItem(atPath: files.path("state/livecap/effects"))
        try write(String(repeating: "x", count: 70_000))
        #expect(content.entries.isEmpty && content.notice?.contains("too large") == true)
    }

    /// Another version may know more effects. What it kept is neither lost nor drawn.
    @Test func aListOfAnotherVersionIsKeptAndNotDrawn() throws {
        try write("usb-1\tnew\tsparkle=1\n")
        try kept.save(EffectSettings(), as: "a", of: "usb-1")
        #expect(content.list("new", of: "usb-1") == "sparkle=1")
        #expect(throws: Failure.self) {
            try EffectOptions.kept(.profile("new"), for: "usb-1", in: content)
        }
    }

    @Test func writersAtTheSameTimeLoseNothing() throws {
        let kept = kept
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            try? kept.save(EffectSettings(light: 0.5), as: "name-\(number)", of: "usb-\(number % 2)")
        }
        let names = Set(content.entries.map(\.name))
        #expect(names == Set((0..<8).map { "name-\($0)" }))
    }

    @Test func theOldestAreForgotten() throws {
        let lines = (0..<300).map { "usb-1\tname-\($0)\tnone" }
        try write(lines.joined(separator: "\n") + "\n")
        try kept.save(EffectSettings(), as: "newest", of: "usb-1")
        #expect(content.entries.count == 256 && content.entries.first?.name == "newest")
        #expect(content.list("name-254", of: "usb-1") != nil && content.list("name-255", of: "usb-1") == nil)
    }
}

@Suite struct EffectChoiceTests {
    private func content(_ lines: String) throws -> (KeptEffects.Content, Scratch) {
        let files = try Scratch()
        try files.write(Array(lines.utf8), to: "effects")
        return (KeptEffects(path: files.path("effects")).read(), files)
    }

    @Test(arguments: ["portrait", "none", "last", "profile:office", "profile:last"])
    func listsAndNamesAreChoices(text: String) { #expect(EffectChoice(text) != nil) }

    @Test(arguments: ["", "office", "profile", "profile:", "Last", "last,light", "profile:a b"])
    func othersAreNone(text: String) { #expect(EffectChoice(text) == nil) }

    @Test func nothingIsRestoredUnlessAsked() throws {
        let (content, _) = try content("usb-1\tlast\tlight=0.5\nusb-1\toffice\tportrait=1\n")
        let list = try #require(EffectChoice("framing"))
        #expect(try EffectOptions.kept(list, for: "usb-1", in: content) == EffectSettings(framing: 1))
        #expect(try EffectOptions.kept(.last, for: "usb-1", in: content) == EffectSettings(light: 0.5))
        #expect(try EffectOptions.kept(.profile("office"), for: "usb-1", in: content) == EffectSettings(portrait: 1))
    }

    @Test func ofAnotherCameraNothingIsTaken() throws {
        let (content, _) = try content("usb-1\tlast\tlight=0.5\nusb-1\toffice\tportrait=1\n")
        #expect(try EffectOptions.kept(.last, for: "usb-2", in: content).areNone)
        #expect(try EffectOptions.kept(.last, for: nil, in: content).areNone)
        for camera in ["usb-2", nil] {
            #expect(throws: Failure.self) {
                try EffectOptions.kept(.profile("office"), for: camera, in: content)
            }
        }
    }

    /// Effects that were none last time may be switched on.
    @Test func whatWasKeptHasItsPlaces() {
        #expect(EffectChoice.kept(EffectSettings()).wantsPlaces)
        #expect(!EffectChoice.list(EffectSettings()).wantsPlaces)
    }
}

@Suite struct EffectKeeperTests {
    private let files: Scratch
    private let board = EffectBoard(EffectSettings(light: 0.5))

    init() throws { files = try Scratch() }

    private var kept: KeptEffects { KeptEffects(path: files.path("effects")) }
    private func keeper(of camera: String = "usb-1") -> EffectKeeper {
        EffectKeeper(board, in: kept, interval: .seconds(3600)) { camera }
    }

    @Test func whatChangesIsKeptAsTheLast() {
        let keeper = keeper()
        board.set(EffectSettings(portrait: 0.1))
        board.set(EffectSettings(portrait: 0.2))
        keeper.close()
        #expect(kept.read().entries.map(\.list) == ["portrait=0.2"])
        #expect(kept.read().names(of: "usb-1") == ["last"])
    }

    @Test func withoutAChangeNothingIsWritten() {
        let keeper = keeper()
        board.perform(.hearts)
        board.set(EffectSettings(light: 0.5))
        keeper.close()
        #expect(!FileManager.default.fileExists(atPath: files.path("effects")))
    }

    @Test func afterItsEndNothingIsKept() {
        keeper().close()
        board.set(EffectSettings())
        #expect(kept.read().entries.isEmpty)
    }

    @Test func whatItsUserKeptStays() throws {
        try kept.save(EffectSettings(framing: 1), as: "office", of: "usb-1")
        let keeper = keeper()
        board.set(EffectSettings())
        keeper.close()
        #expect(kept.read().list("office", of: "usb-1") == "framing=1")
        #expect(kept.read().list("last", of: "usb-1") == "none")
    }

    @Test func aFolderThatCannotBeWrittenIsNoFault() throws {
        try files.write([], to: "file")
        let keeper = EffectKeeper(board, in: KeptEffects(path: files.path("file/effects")), interval: .zero) { "usb-1" }
        board.set(EffectSettings())
        keeper.close()
        #expect(board.settings.areNone)
    }
}
