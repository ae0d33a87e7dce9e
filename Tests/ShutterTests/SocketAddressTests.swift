// SPDX-License-Identifier: MIT
// Where the socket is created, who may access it, and what happens to a file already in its place.

import Glibc
import LivecapCSystem
import LivecapFiles
import Testing

@testable import Shutter

extension Sources {
    @Suite struct SocketAddressTests {
        private let folder: Folder

        init() throws { folder = try Folder() }

        private var address: SocketAddress {
            SocketAddress(runtimeDirectory: folder.path, user: geteuid(), name: "shutter.sock")
        }

        private func mode(_ path: String) -> mode_t {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
        }

        @Test func theSessionsFolderComesFirst() {
            #expect(address.path == "\(folder.path)/livecap/shutter.sock")
        }

        @Test func aFolderOfAnotherUserIsPassedOver() {
            let other = geteuid() + 1
            let path = SocketAddress(runtimeDirectory: folder.path, user: other, name: "shutter.sock").path
            #expect(path == "/run/user/\(other)/livecap/shutter.sock" || path == "/tmp/livecap-\(other)/shutter.sock")
            #expect(SocketAddress(runtimeDirectory: "relative", user: other, name: "shutter.sock").path == path)
        }

        /// 107 bytes, of which one is no UTF-8. Files' own `lstat` looks the name up by its bytes.
        @Test func aPathNeedNotBeUTF8() throws {
            let name = [0xE9] + [UInt8](repeating: 0x73, count: 106 - folder.path.utf8.count - 1)
            let path = "\(folder.path)/\(FileName.text(name))"
            let socket = try ListeningSocket(at: SocketAddress(path: path))
            #expect(mode(path) == 0o600)
            #expect(path.withFileName { strlen($0) } == 107)
            withExtendedLifetime(socket) {}
        }

        @Test func nobodyElseMayConnectFromTheFirstMoment() throws {
            let socket = try ListeningSocket(at: address)
            #expect(mode("\(folder.path)/livecap") == 0o700 && mode(address.path) == 0o600)
            withExtendedLifetime(socket) {}
        }

        @Test func aLinkInTheFoldersPlaceIsRefused() throws {
            mkdir("\(folder.path)/elsewhere", 0o700)
            symlink("\(folder.path)/elsewhere", "\(folder.path)/livecap")
            #expect(
                throws: ShutterError.unsafeDirectory(path: "\(folder.path)/livecap", detail: "not a directory")
            ) { _ = try ListeningSocket(at: address) }
        }

        @Test func aFolderThatOthersMayUseIsRefused() throws {
            mkdir("\(folder.path)/livecap", 0o700)
            chmod("\(folder.path)/livecap", 0o750)
            #expect(
                throws: ShutterError.unsafeDirectory(
                    path: "\(folder.path)/livecap", detail: "other users may access it")
            ) { _ = try ListeningSocket(at: address) }
        }

        @Test func aDeadSocketIsReplaced() throws {
            let path = "\(folder.path)/s"
            let dead = lc_unix_socket()
            try #require(lc_unix_bind(dead, path) == 0)
            close(dead)
            let socket = try ListeningSocket(at: SocketAddress(path: path))
            #expect(mode(path) == 0o600)
            withExtendedLifetime(socket) {}
        }

        @Test func aLivingSocketIsAnErrorThatNamesIt() throws {
            let path = "\(folder.path)/s"
            let socket = try ListeningSocket(at: SocketAddress(path: path))
            #expect(throws: ShutterError.socketInUse(path: path)) {
                _ = try ListeningSocket(at: SocketAddress(path: path))
            }
            #expect(access(path, F_OK) == 0)
            withExtendedLifetime(socket) {}
        }

        @Test func whatIsNoSocketIsLeftAlone() throws {
            let path = "\(folder.path)/s"
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            #expect(throws: ShutterError.notASocket(path: path)) {
                _ = try ListeningSocket(at: SocketAddress(path: path))
            }
            #expect(access(path, F_OK) == 0)
        }

        @Test func whatAnotherHasPutThereIsNotTakenAway() throws {
            let path = "\(folder.path)/s"
            do {
                let socket = try ListeningSocket(at: SocketAddress(path: path))
                rename(path, "\(folder.path)/other")
                close(open(path, O_CREAT | O_WRONLY, 0o600))
                withExtendedLifetime(socket) {}
            }
            #expect(access(path, F_OK) == 0)
        }

        @Test func aPathTooLongIsAnError() {
            let path = "/tmp/" + String(repeating: "x", count: 103)
            #expect(throws: ShutterError.pathTooLong(path, limit: 107)) {
                _ = try ListeningSocket(at: SocketAddress(path: path))
            }
        }

        @Test func aMissingFolderIsAnError() {
            let missing = "\(folder.path)/missing"
            #expect(throws: ShutterError.failed(missing, call: "open", errno: ENOENT)) {
                _ = try ListeningSocket(at: SocketAddress(path: "\(missing)/s"))
            }
        }
    }
}
