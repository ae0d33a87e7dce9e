// SPDX-License-Identifier: MIT
// `--live-sound`: what it cannot be asked for, and who is told that the microphone is heard.

import Foundation
import Glibc
import LivecapPatience
import Testing

import class LivecapWebGear.HTTPConnection
import struct LivecapWebGear.HTTPRequest

@testable import livecap

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct LiveSoundTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private static let scene = ["--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG"]

    @Test(arguments: [
        (["serve"] + scene, "a scene has no microphone of its own"),
        (["serve", "--sound", "none"], "there is nothing to hear with --sound none"),
        (["serve", "--sound", "synthetic", "--pace", "fast"] + scene, "has a clock of its own"),
        (["run", "--serve"] + scene, "a scene has no microphone of its own"),
        (["run", "-o", "pictures/"] + scene, "--live-sound changes nothing without --serve"),
    ])
    func whatHasNoSoundIsRefused(_ words: [String], because reason: String) throws {
        let library = words[0] == "serve" || words.contains("--serve") ? ["--library", files.path("library")] : []
        let outcome = try RunningLivecap(words + ["--live-sound"] + library).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test(arguments: [["serve"], ["run", "--serve"]]) func peopleAtTheTerminalSeeThatItIsHeard(_ words: [String]) throws
    {
        let program = try RunningLivecap(
            words + Self.scene + [
                "--listen", "0", "--library", files.path("library"), "--sound", "synthetic", "--live-sound",
            ])
        func all() -> String { program.output + program.errors }
        try eventually("the address") { all().contains(/http:\/\/[^\n]*:[0-9]+\//) }
        let port = try #require(all().firstMatch(of: /http:\/\/[^\n]*:([0-9]+)\//).flatMap { UInt16($0.1) })
        var connection: HTTPConnection? = try HTTPConnection(port: port)
        try connection?.send(HTTPRequest("GET", "/sound"))
        #expect(try connection?.readHead().status == 200)
        try eventually("a note") { program.errors.contains("note: a viewer hears the microphone now\n") }
        connection = nil
        try eventually("its end") { program.errors.contains("note: nobody hears the microphone any more\n") }
        program.signal(SIGINT)
        #expect(program.finish().status == 0, "\(program.errors)")
    }
}
