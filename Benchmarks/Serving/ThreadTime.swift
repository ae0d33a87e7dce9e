// SPDX-License-Identifier: MIT
// The processor time of some threads of this process, by their names.

import Glibc

/// What threads have taken of processors: `/proc/self/task/*/schedstat`.
enum ThreadTime {
    /// The time of all threads that have one of these names now.
    static func now(of names: Set<String>) -> Duration {
        guard let folder = opendir("/proc/self/task") else { return .zero }
        defer { closedir(folder) }
        var sum = Duration.zero
        while let entry = readdir(folder) {
            let task = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name = line("/proc/self/task/\(task)/comm"), names.contains(name),
                let time = line("/proc/self/task/\(task)/schedstat")?.split(separator: " ").first
            else { continue }
            sum += .nanoseconds(Int64(time) ?? 0)
        }
        return sum
    }

    /// The first line of a small file; nil if there is none, as of a thread that has just ended.
    private static func line(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 128)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
