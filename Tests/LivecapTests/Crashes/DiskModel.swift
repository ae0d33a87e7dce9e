// SPDX-License-Identifier: MIT
// A model of a disk that loses what was not synced, as a power cut may.

import Foundation
import LivecapFiles

/// Files and folders below a root, both as the running system sees them and as the disk has them.
///
/// The model is as strict as POSIX permits a file system to be: a sync of a file flushes its bytes but not its name,
/// and a sync of a folder flushes the names in it, in their order. Of the unsynced changes, any of the bytes may be on
/// the disk, and any first part of the names.
struct DiskModel {
    /// A file, under one or more names.
    final class File {
        fileprivate(set) var bytes: [UInt8] = []
        fileprivate var synced: [UInt8] = []
        fileprivate var unsynced: [DataChange] = []
    }

    enum Node {
        case file(File)
        case folder
    }

    fileprivate enum DataChange {
        case write(at: Int, [UInt8])
        case resize(Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .resize(let count):
                bytes = Array(bytes.prefix(count)) + Array(repeating: 0, count: max(0, count - bytes.count))
            case .write(let offset, let new):
                let end = offset + new.count
                if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(offset..<end, with: new)
            }
        }
    }

    /// Changes of names that take effect together. A nil node removes the name.
    fileprivate typealias NameChange = [(path: String, node: Node?)]

    private(set) var names: [String: Node] = [:]
    private var synced: [String: Node] = [:]
    private var unsynced: [String: [NameChange]] = [:]

    /// An empty disk.
    init() {}

    /// A disk on which these files and folders (nil) have long been durable.
    init(holding contents: [String: [UInt8]?]) {
        for (path, bytes) in contents {
            let file = File()
            (file.bytes, file.synced) = (bytes ?? [], bytes ?? [])
            names[path] = bytes == nil ? .folder : .file(file)
        }
        synced = names
    }

    /// Applies an operation of the program.
    mutating func apply(_ operation: FileOperation) {
        let path = operation.path
        switch operation.kind {
        case .create: change([(path, .file(File()))])
        case .folder: change([(path, .folder)])
        case .remove: change([(path, nil)])
        case .rename: change([(path, nil), (operation.target, names[path])])
        case .link: change([(operation.target, names[path])])
        case .write: change(path, .write(at: operation.offset, operation.bytes))
        case .resize: change(path, .resize(operation.offset))
        case .sync: sync(path)
        case .lose: lose(path)
        case .say: break
        }
    }

    private mutating func change(_ change: NameChange) {
        for (path, node) in change { names[path] = node }
        // A move between folders counts as a change of the target's folder.
        unsynced[Self.folder(of: change.last!.path), default: []].append(change)
    }

    private func change(_ path: String, _ change: DataChange) {
        guard case .file(let file) = names[path] else { return }
        change.apply(to: &file.bytes)
        file.unsynced.append(change)
    }

    private mutating func sync(_ path: String) {
        if case .file(let file) = names[path] {
            // Only the unsynced changes, not all that the program reads: an earlier failed sync may have lost some of
            // it.
            for change in file.unsynced { change.apply(to: &file.synced) }
            file.unsynced = []
        } else {
            for change in unsynced.removeValue(forKey: path) ?? [] {
                for (path, node) in change { synced[path] = node }
            }
        }
    }

    /// A sync fails: the system still reads what was written, and forgets that the disk lacks it.
    private mutating func lose(_ path: String) {
        if case .file(let file) = names[path] { file.unsynced = [] } else { unsynced[path] = nil }
    }

    /// The contents of the disk after a power cut now: what was synced and, if there is a generator, a random part of
    /// the rest.
    func afterPowerCut(_ chance: inout (any RandomNumberGenerator)?) -> [String: [UInt8]?] {
        var kept = synced
        for folder in unsynced.keys.sorted() {
            let changes = unsynced[folder]!
            let count = chance == nil ? 0 : Int.random(in: 0...changes.count, using: &chance!)
            for change in changes.prefix(count) { for (path, node) in change { kept[path] = node } }
        }
        var left: [String: [UInt8]?] = [:]
        for path in kept.keys.sorted() where Self.isReachable(path, kept) {
            switch kept[path]! {
            case .folder: left[path] = .some(nil)
            case .file(let file):
                var bytes = file.synced
                for change in file.unsynced where chance != nil && Bool.random(using: &chance!) {
                    change.apply(to: &bytes)
                }
                left[path] = bytes
            }
        }
        return left
    }

    /// What remains if only the program ends.
    var afterExit: [String: [UInt8]?] {
        names.filter { !isShared($0.key) }.mapValues { if case .file(let file) = $0 { file.bytes } else { nil } }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func isReachable(_ path: String, _ names: [String: Node]) -> Bool {
        let folder = folder(of: path)
        guard !folder.isEmpty else { return true }
        guard case .folder? = names[folder] else { return false }
        return isReachable(folder, names)
    }
}

/// Whether a file is memory shared by processes. SQLite recreates it, and the journal does not record its changes.
private func isShared(_ path: String) -> Bool { path.hasSuffix("-shm") }

/// The contents below a folder: the bytes of files, nil for folders.
func contents(of root: String) -> [String: [UInt8]?] {
    var found: [String: [UInt8]?] = [:]
    for path in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
        guard !isShared(path) else { continue }
        found[path] = .some(FileManager.default.contents(atPath: "\(root)/\(path)").map { [UInt8]($0) })
    }
    return found
}

/// Recreates the contents of a disk in a folder.
func restore(_ contents: [String: [UInt8]?], to root: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for path in contents.keys.sorted() where !isShared(path) {
        if let bytes = contents[path]! {
            _ = files.createFile(
                atPath: "\(root)/\(path)", contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        } else {
            try files.createDirectory(
                atPath: "\(root)/\(path)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }
}
