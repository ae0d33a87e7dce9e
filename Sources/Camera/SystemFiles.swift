// SPDX-License-Identifier: MIT
// What Linux tells about devices and processes in small files and links.

import Frames
import Glibc

/// Reading of sysfs, procfs and links. Nothing here is an error: what cannot be read is not there.
enum SystemFiles {
    /// The names in a directory, sorted, without those of dot files.
    static func names(in directory: String) -> [String] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = string(entry.pointee.d_name)
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// A small file's text without the final newline: at most 4 KiB.
    static func text(_ path: String) -> String? {
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
            let count = readlink(path, buffer.baseAddress!, buffer.count)
            return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// The path with every link followed.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// How long ago a file was made or its permissions were changed; nil when it is not there.
    static func age(of path: String) -> TimeSpan? {
        var status = stat()
        var now = timespec()
        guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
        return .milliseconds(
            Int64(now.tv_sec - status.st_ctim.tv_sec) * 1000 + Int64(now.tv_nsec - status.st_ctim.tv_nsec) / 1_000_000)
    }

    /// The group that owns a file.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }

    /// Another process that has the device open, as "name (pid 123)"; only root sees everybody's.
    static func holder(of path: String) -> String? {
        guard let target = resolved(path) else { return nil }
        for pid in names(in: "/proc") where pid.allSatisfy(\.isNumber) && pid != "\(getpid())" {
            for descriptor in names(in: "/proc/\(pid)/fd") where link("/proc/\(pid)/fd/\(descriptor)") == target {
                return "\(text("/proc/\(pid)/comm") ?? "a process") (pid \(pid))"
            }
        }
        return nil
    }
}
