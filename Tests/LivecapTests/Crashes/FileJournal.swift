// SPDX-License-Identifier: MIT
// Reads the journal of the preloaded library: what a program did to a folder.

import Foundation
import LivecapFiles
import Testing

/// A change to a folder's files, a sync, or bytes on standard output.
struct FileOperation {
    /// The codes are those of CWriteJournal.h.
    enum Kind: UInt8 {
        case create = 0x63
        case write = 0x77
        case resize = 0x74
        case folder = 0x6D
        case remove = 0x75
        case rename = 0x72
        case link = 0x6C
        case sync = 0x73
        case lose = 0x65
        case say = 0x61
    }

    let kind: Kind
    let path: String
    let target: String
    let offset: Int
    let bytes: [UInt8]
}

/// A whole journal. An incomplete last operation, left by a program that was killed, is ignored because it does
/// not count.
struct FileJournal {
    private(set) var operations: [FileOperation] = []

    /// Reads a journal. Paths are relative to `root`, and the path of the root itself is empty.
    init(_ file: String, root: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))[...]
        func text(_ count: some BinaryInteger) -> String? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(Int(count)) }
            return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
        }
        func below(_ path: String) -> String { String(path.dropFirst(root.count).drop { $0 == "/" }) }
        func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
            guard bytes.count >= Number.bitWidth / 8 else { return nil }
            defer { bytes = bytes.dropFirst(Number.bitWidth / 8) }
            return bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
        }
        while let kind = number(UInt8.self), let pathBytes = number(UInt16.self), let targetBytes = number(UInt16.self),
            let offset = number(UInt64.self), let count = number(UInt64.self), let path = text(pathBytes),
            let target = text(targetBytes), bytes.count >= count
        {
            operations.append(
                FileOperation(
                    kind: try #require(FileOperation.Kind(rawValue: kind)), path: below(path), target: below(target),
                    offset: Int(offset), bytes: Array(bytes.prefix(Int(count)))))
            bytes = bytes.dropFirst(Int(count))
        }
    }

    /// The objects that had been printed after `count` operations.
    func said(after count: Int) throws -> [[String: Any]] {
        let words = operations.prefix(count).filter { $0.kind == .say }.flatMap(\.bytes)
        let lines = words.split(separator: UInt8(ascii: "\n"))
        return try lines.map { try #require(JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]) }
    }
}

extension RunningLivecap {
    /// The environment of the journal, as words in front of a shell command.
    static func journaled(
        _ journal: String, root: String, killAt: Int? = nil, fullAt: Int? = nil, failSyncAt: Int? = nil
    ) -> String {
        let library = URL(filePath: path).deletingLastPathComponent().appending(path: "libWriteJournal.so").path
        var words = "LIVECAP_JOURNAL='\(journal)' LIVECAP_JOURNAL_ROOT='\(root)' LD_PRELOAD='\(library)' "
        if let killAt { words += "LIVECAP_JOURNAL_KILL_AT=\(killAt) " }
        if let fullAt { words += "LIVECAP_JOURNAL_FULL_AT=\(fullAt) " }
        if let failSyncAt { words += "LIVECAP_JOURNAL_FAIL_SYNC_AT=\(failSyncAt) " }
        return words
    }
}
