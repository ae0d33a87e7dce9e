// SPDX-License-Identifier: MIT
// Naming cameras, with synthetic folders in place of /sys and /dev.

import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraDirectoryTests {
    /// A folder with an empty /sys and /dev, removed after the test.
    private final class Machine {
        let root: String
        init() {
            root = makeTemporaryFolder("/tmp/livecap-directory-")!
            mkdir(root + "/sys", 0o755)
            mkdir(root + "/dev", 0o755)
        }
        deinit {
            for node in SystemFiles.names(in: root + "/dev") { unlink("\(root)/dev/\(node)") }
            for folder in ["/dev", "/sys", ""] { rmdir(root + folder) }
        }
        var directory: CameraDirectory { CameraDirectory(sysfs: root + "/sys", devices: root + "/dev") }
        func addFile(_ name: String) { close(open("\(root)/dev/\(name)", O_CREAT | O_WRONLY, 0o644)) }
    }

    @Test func aMachineWithoutCamerasSaysSo() {
        let machine = Machine()
        #expect(machine.directory.cameras().isEmpty)
        #expect(throws: CameraError.noSuchDevice("auto", available: [])) {
            try machine.directory.camera(named: "auto")
        }
    }

    @Test func aFileThatIsNoVideoDeviceIsNoCamera() {
        let machine = Machine()
        machine.addFile("video0")
        #expect(machine.directory.cameras().isEmpty)
        let path = machine.root + "/dev/video0"
        #expect(throws: CameraError.notACamera(path: path, detail: "not a video device")) {
            try machine.directory.camera(named: path)
        }
    }

    @Test func aMissingNodeIsNamed() {
        let machine = Machine()
        let path = machine.root + "/dev/video7"
        #expect(throws: CameraError.noSuchDevice(path, available: [])) { try machine.directory.camera(named: path) }
    }

    @Test func linksAreFollowedLikeTheSystemDoes() {
        let machine = Machine()
        machine.addFile("video0")
        let file = machine.root + "/dev/video0"
        symlink("../dev/./b", machine.root + "/dev/a")
        symlink(file, machine.root + "/dev/b")
        symlink("loop", machine.root + "/dev/loop")
        for path in ["/dev/a", "/sys/../dev//b", "/dev/video0", "/dev/loop", "/dev/none"] {
            #expect(SystemFiles.resolved(machine.root + path) == resolvedPath(machine.root + path))
        }
        #expect(SystemFiles.resolved(machine.root + "/dev/a") == file)
    }

    @Test func permissionDeniedNamesTheOwningGroup() {
        #expect(CameraError.opening("/dev/null", errno: EACCES) == .permissionDenied(path: "/dev/null", group: "root"))
    }

    @Test func theProcessHoldingADeviceIsNamed() throws {
        let machine = Machine()
        machine.addFile("video0")
        let path = machine.root + "/dev/video0"
        #expect(SystemFiles.holder(of: path) == nil)
        // Another process that keeps the file open until its input ends.
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        posix_spawn_file_actions_addopen(&actions, 9, path, O_RDONLY, 0)
        var child = pid_t()
        let words = ["cat", nil].map { $0.map { strdup($0) } ?? nil }
        try #require(posix_spawn(&child, "/bin/cat", &actions, nil, words, environ) == 0)
        close(ends[0])
        defer {
            close(ends[1])
            waitpid(child, nil, 0)
            posix_spawn_file_actions_destroy(&actions)
            words.forEach { free($0) }
        }
        // posix_spawn returns only after the child has opened its files.
        #expect(SystemFiles.holder(of: path) == "cat (pid \(child))")
        #expect(SystemFiles.users(of: [path, "/dev/none"]) == [path: [CameraUser(name: "cat", pid: child)]])
    }
}
