// SPDX-License-Identifier: MIT
// Facts about devices and processes, which Linux keeps in small files and links.

import Glibc
import LivecapFiles
import LivecapFrames

/// Reads sysfs, procfs and links. Nothing here is an error: a file that cannot be read is treated as absent.
package enum SystemFiles {
    /// The names in a directory, sorted, without dot files.
    package static func names(in directory: String) -> [String] {
        fileNames(in: directory).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// A small file's text (at most 4 KiB), without trailing newlines.
    package static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress!, buffer.count)
            guard count >= 0 else { return nil }
            var text = String(decoding: buffer[..<count], as: UTF8.self)
            while text.last?.isNewline == true { text.removeLast() }
            return text
        }
    }

    /// Where a symbolic link points, as written in it.
    static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            let count = path.withFileName { readlink($0, buffer.baseAddress!, buffer.count) }
            return count < 0 ? nil : FileName.text(buffer[..<count])
        }
    }

    /// An absolute path with its links resolved; nil if it does not exist. The same as `realpath(3)`, whose version in
    /// umockdev writes beyond its memory.
    package static func resolved(_ path: String) -> String? {
        var done: [Substring] = []
        var rest = Array(path.split(separator: "/").reversed())
        var links = 0
        while let name = rest.popLast() {
            switch name {
            case ".": continue
            case "..": _ = done.popLast()
            default:
                done.append(name)
                guard let target = link("/" + done.joined(separator: "/")) else { continue }
                links += 1
                // As many as Linux follows.
                guard links <= 40 else { return nil }
                done = target.hasPrefix("/") ? [] : done.dropLast()
                rest += target.split(separator: "/").reversed()
            }
        }
        let found = "/" + done.joined(separator: "/")
        return found.withFileName { access($0, F_OK) } == 0 ? found : nil
    }

    /// The time since a file was created or its permissions were last changed; nil if the file does not exist.
    static func age(of path: String) -> Duration? {
        var status = stat()
        var now = timespec()
        guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
        return .milliseconds(
            Int64(now.tv_sec - status.st_ctim.tv_sec) * 1000 + Int64(now.tv_nsec - status.st_ctim.tv_nsec) / 1_000_000)
    }

    /// The name of the group that owns a file.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }

    /// Another process that has the device open, as "name (pid 123)". Only root sees the processes of all users.
    static func holder(of path: String) -> String? { users(of: [path])[path]?.first?.description }

    /// The other processes that have each of the devices open. Only root sees the processes of all users.
    static func users(of paths: [String]) -> [String: [CameraUser]] {
        var users: [String: [CameraUser]] = [:]
        let targets = Dictionary(grouping: paths) { resolved($0) ?? $0 }
        guard !targets.isEmpty else { return users }
        for process in names(in: "/proc") {
            guard let pid = Int32(process), pid != getpid() else { continue }
            let open = Set(names(in: "/proc/\(pid)/fd").compactMap { link("/proc/\(pid)/fd/\($0)") })
            for path in open.flatMap({ targets[$0] ?? [] }) {
                users[path, default: []].append(
                    CameraUser(name: text("/proc/\(pid)/comm") ?? "a process", pid: pid))
            }
        }
        return users.mapValues { $0.sorted { $0.pid < $1.pid } }
    }
}
