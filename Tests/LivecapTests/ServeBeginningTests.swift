// SPDX-License-Identifier: MIT
// What `livecap serve` refuses before it opens a camera, and what it does without.

import Foundation
import Glibc
import LivecapHTTP
import LivecapServing
import Testing

@testable import livecap

@Suite struct ServeBeginningTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Serves for a moment; without a library that is loaded when it is needed, if one is named.
    private func serve(_ words: [String], without library: String? = nil, errors: String? = nil) throws
        -> RunningLivecap
    {
        var shell = "exec \"$@\""
        if let library {
            try FileManager.default.createDirectory(
                atPath: files.path("libraries"), withIntermediateDirectories: true)
            // No library is that empty.
            try files.write([], to: "libraries/\(library)")
            shell = "LD_LIBRARY_PATH='\(files.path("libraries"))' " + shell
        }
        if let errors { shell += " 2>'\(errors)'" }
        return try RunningLivecap(
            [
                "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--duration",
                "1ms", "--library", files.path("library"),
            ] + words, shell: shell)
    }

    @Test func withoutAWebServerThatIsSaid() throws {
        let outcome = try serve(["--listen", "0", "--json"], without: "libmicrohttpd.so.12").finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "no-web-server")
        #expect(try outcome.object["hint"] as? String == "install libmicrohttpd12")
    }

    @Test func aPortInUseIsNamed() throws {
        let address = try #require(HTTPAddress("127.0.0.1:0"))
        let socket = try address.listen()
        defer { close(socket) }
        let port = try #require(HTTPAddress(of: socket)?.port)
        let outcome = try serve(["--listen", "\(port)", "--json"]).finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "cannot-listen")
        #expect((try outcome.object["error"] as? String)?.contains("127.0.0.1:\(port)") == true)
        #expect(HTTPError.cannotListen("", errno: EACCES).exitStatus == 77)
    }

    @Test(arguments: ["", "short", "a token with spaces in it", "ümlaute-sind-keine-token"])
    func aFileWithoutATokenIsRefusedAndKept(_ text: String) throws {
        let path = try files.write(Array(text.utf8), to: "token")
        chmod(path, 0o600)
        let outcome = try serve(["--listen", "0", "--token-file", path, "--json"]).finish()
        #expect(outcome.status == 64)
        #expect((try outcome.object["error"] as? String)?.contains("holds no token") == true)
        #expect(files.text("token") == text)
    }

    @Test("A token that others can read or write is refused", arguments: [0o640, 0o604, 0o620, 0o602] as [mode_t])
    func aTokenOfOthersIsRefused(_ permissions: mode_t) throws {
        let path = try files.write(Array("0123456789abcdef0123456789abcdef".utf8), to: "token")
        chmod(path, permissions)
        let outcome = try serve(["--listen", "0", "--token-file", path, "--json"]).finish()
        #expect(outcome.status == 64)
        #expect((try outcome.object["error"] as? String)?.contains("other users can read or write") == true)
        #expect((try outcome.object["hint"] as? String)?.contains("chmod 600 \(path)") == true)
        chmod(path, 0o400)
        #expect(try serve(["--listen", "0", "--token-file", path]).finish().status == 0)
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0)) func aTokenInTheFileOfAnotherUserIsRefused() throws {
        let path = try files.write(Array("0123456789abcdef0123456789abcdef".utf8), to: "token")
        chmod(path, 0o600)
        try #require(chown(path, 65534, 65534) == 0)
        let outcome = try serve(["--listen", "0", "--token-file", path, "--json"]).finish()
        #expect(outcome.status == 64)
        #expect((try outcome.object["error"] as? String)?.contains("belongs to another user") == true)
    }

    @Test(arguments: ["libqrencode.so.4", nil]) func withoutALibraryForCodesThereIsTheLinkAlone(_ lack: String?) throws
    {
        let terminal = try PseudoTerminal()
        let program = try serve(["--listen", "0.0.0.0:0"], without: lack, errors: terminal.path)
        let shown = terminal.readToEnd()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(shown)")
        #expect((outcome.output + shown).contains("?token="))
        #expect(shown.contains("▀") == (lack == nil))
    }

    @Test func theLinkForPhonesHasTheAddressOfThisMachine() throws {
        let outcome = try serve(["--listen", "0.0.0.0:0", "--json"]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let link = try #require(try outcome.object["url"] as? String)
        let host = HTTPAddress.ofThisMachine ?? Gatekeeper.machineName
        #expect(link.hasPrefix("http://\(host):"))
        let named = try serve(["--listen", "0.0.0.0:0", "--name", "porch", "--json"]).finish()
        #expect((try named.object["url"] as? String)?.hasPrefix("http://porch:") == true)
    }

    @Test func withoutAFolderMoviesGoIntoTheLibrary() throws {
        let outcome = try serve(["--listen", "0", "--json"]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: files.path("library/movies"), isDirectory: &isFolder))
        #expect(isFolder.boolValue)
        // Photos are served where there is no place for movies.
        try FileManager.default.removeItem(atPath: files.path("library/movies"))
        try files.write([1], to: "library/movies")
        let without = try serve(["--listen", "0"]).finish()
        #expect(without.status == 0 && without.errors.contains("the page records no movies"), "\(without.errors)")
    }

    @Test func sixDigitsArePrintedWithATokenAlone() throws {
        let open = try serve(["--listen", "0"]).finish()
        #expect(open.status == 0 && !open.errors.contains("and enter"))
        let closed = try serve(["--listen", "0.0.0.0:0", "--name", "porch"]).finish()
        #expect(closed.status == 0 && closed.errors.contains(/open http:\/\/porch:\d+\/ and enter \d{3} \d{3}\n/))
    }

    @Test func aFileIsNoFolderForMovies() throws {
        let path = try files.write([1], to: "file")
        let outcome = try serve(["--listen", "0", "--movies", path, "--json"]).finish()
        #expect(outcome.status == 73)
        #expect((try outcome.object["error"] as? String)?.contains("\(path) is not a folder") == true)
    }
}
