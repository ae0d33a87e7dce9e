// SPDX-License-Identifier: MIT
// The benchmarks of the photo library, and what they share.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage

/// The benchmarks of the photo library, in order.
func libraryBenchmarks() -> [any Benchmark] {
    [CatalogueAtLength(), DurableProxy(source: .motionJPEG), DurableProxy(source: .raw)]
}

/// A folder that is removed when its benchmark ends.
struct BenchFolder: ~Copyable {
    let path: String

    /// Creates a folder inside the one whose disk is measured.
    init(_ options: BenchmarkOptions) throws {
        path = "\(options.folder)/livecap-bench-\(getpid())-\(Timestamp.now.nanoseconds)"
        guard mkdir(path, 0o700) == 0 else { throw BenchFolderError(path: path, errno: errno) }
    }

    deinit { removeTree(path) }
}

/// Removes a folder and everything in it, without following links.
private func removeTree(_ path: String) {
    if let handle = opendir(path) {
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) {
                removeTree("\(path)/\(name)")
            } else {
                unlink("\(path)/\(name)")
            }
        }
        closedir(handle)
    }
    rmdir(path)
}

/// The folder or a file in it could not be created or written.
struct BenchFolderError: Error {
    let path: String
    let errno: Int32
}

/// Bytes that no disk can compress.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}

extension NewPhoto {
    /// A photo for benchmarks; `number` distinguishes it from others.
    static func measured(_ number: Int, thumbnail: [UInt8]) -> NewPhoto {
        NewPhoto(
            tap: Timestamp(nanoseconds: Int64(number) * 100_000_000),
            reference: Timestamp(nanoseconds: Int64(number) * 100_000_000),
            taken: CalendarTime(utcNanoseconds: 1_795_300_000_000_000_000 + Int64(number) * 100_000_000),
            format: .jpeg, size: FrameSize(width: 1280, height: 720), qualityAsked: .quality,
            qualityGiven: .quality, request: #"{"frames":8}"#,
            provenance: #"{"text":""# + String(repeating: "x", count: 2000) + #""}"#, thumbnail: thumbnail)
    }
}
