// SPDX-License-Identifier: MIT
// Several photos in one file: a zip archive, whose members are stored as they are.

import Glibc
import LivecapCz
import LivecapFiles
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import Synchronization

/// Writes photos into an archive that has no name, so that nothing is left of it once it is sent.
struct PhotoArchive {
    /// The maximum number of photos in one archive, and of their bytes: it waits on the disk until it is sent.
    static let maxCount: Int64 = 1000
    static let maxBytes: UInt64 = 2 << 30

    /// What is wrong with an archive that cannot be made.
    enum Problem: Error {
        case tooLarge
        case library(LibraryError)
        /// The library's disk refused it.
        case disk(errno: Int32)
    }

    private struct Member {
        let name: [UInt8]
        var checksum: UInt32 = 0
        let size: UInt32
        let offset: UInt32
        let date: UInt32
    }

    private let file: Int32
    private var offset: UInt64 = 0
    private var members: [Member] = []
    private var names: Set<String> = []
    /// Those that cannot be read, and why.
    private var left: [(id: PhotoID, reason: LibraryError)] = []

    /// In a folder that has a disk: other places for temporary files often are memory.
    private init(in folder: String) throws(Problem) {
        file = openNameless(in: folder)
        guard file >= 0 else { throw .disk(errno: errno) }
    }

    /// An archive of photos. Those that were removed meanwhile are left out, and so are those whose files are lost or
    /// damaged, which it names. `turn` is over when nobody needs the file any more.
    static func make(_ ids: [PhotoID], of library: PhotoLibrary, in turn: Turn.Held) throws(Problem) -> HTTPFile {
        var archive = try PhotoArchive(in: library.path)
        do throws(Problem) {
            for id in ids { try archive.add(id, of: library) }
            try archive.nameThoseLeft()
            try archive.end()
        } catch {
            close(archive.file)
            throw error
        }
        guard let file = HTTPFile(taking: archive.file, keeping: turn) else { throw .disk(errno: EIO) }
        return file
    }

    /// The numbers that a list such as `1-3,7` names; nil if it is none, or names too many.
    static func ids(_ text: String) -> [PhotoID]? {
        var ids: [PhotoID] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { PhotoID($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                first.number <= last.number, last.number - first.number < Self.maxCount - Int64(ids.count)
            else { return nil }
            ids += (first.number...last.number).map { PhotoID(number: $0) }
        }
        return ids
    }

    private mutating func add(_ id: PhotoID, of library: PhotoLibrary) throws(Problem) {
        let photo: LibraryPhoto, descriptor: Int32
        do throws(LibraryError) { (photo, descriptor) = try library.openFile(of: id, compared: true) } catch {
            switch error {
            case .noSuchPhoto: return
            case .missing, .damaged, .fileError, .unsafePath: return left.append((id, error))
            default: throw .library(error)
            }
        }
        defer { close(descriptor) }
        guard photo.removed == nil else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .disk(errno: errno) }
        guard offset + UInt64(status.st_size) < Self.maxBytes else { throw .tooLarge }
        var member = Member(
            name: Array(name(photo, id).utf8), size: UInt32(status.st_size), offset: UInt32(offset),
            date: Self.date(photo.taken))
        let head = Self.head(of: member)
        // Its place is kept until the checksum is known.
        try write(head)
        member.checksum = try copy(descriptor, count: status.st_size)
        let whole = Self.head(of: member)
        let count = whole.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(member.offset)) }
        guard count == whole.count else { throw .disk(errno: EIO) }
        members.append(member)
    }

    /// Adds a text about those that could not be read.
    private mutating func nameThoseLeft() throws(Problem) {
        guard let first = left.first else { return }
        guard let date = members.last?.date else { throw .library(first.reason) }
        let lines = left.map { "photo \($0.id): \($0.reason.message)\n" }
        let bytes = Array(("These photos cannot be read, so they are not here:\n" + lines.joined()).utf8)
        let member = Member(
            name: Array("Left out.txt".utf8), checksum: UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count)),
            size: UInt32(bytes.count), offset: UInt32(offset), date: date)
        try write(Self.head(of: member) + bytes)
        members.append(member)
    }

    /// Copies a file. Returns its checksum.
    private mutating func copy(_ descriptor: Int32, count: Int) throws(Problem) -> UInt32 {
        var block = [UInt8](repeating: 0, count: 1 << 18)
        var done = 0
        var checksum: UInt = 0
        while done < count {
            let room = min(block.count, count - done)
            let read = block.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, room, off_t(done)) }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw .disk(errno: read < 0 ? errno : EIO) }
            checksum = crc32_z(checksum, block, read)
            try write(Array(block[..<read]))
            done += read
        }
        return UInt32(truncatingIfNeeded: checksum)
    }

    private static func head(of member: Member) -> [UInt8] {
        var head: [UInt8] = []
        put(&head, 0x0403_4B50, 4)
        describe(member, &head)
        return head + member.name
    }

    /// The local time of a photo, as archives have it: two seconds are the unit.
    private static func date(_ time: CalendarTime) -> UInt32 {
        var seconds = time_t((time.sinceEpoch + time.utcOffset).nanoseconds / 1_000_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = UInt32(max(0, parts.tm_year - 80)) << 9 | UInt32(parts.tm_mon + 1) << 5 | UInt32(parts.tm_mday)
        return day << 16 | UInt32(parts.tm_hour) << 11 | UInt32(parts.tm_min) << 5 | UInt32(parts.tm_sec / 2)
    }

    /// Two photos of one second may have the same name.
    private mutating func name(_ photo: LibraryPhoto, _ id: PhotoID) -> String {
        let name = photo.name.inGallery
        let free = names.insert(name).inserted ? name : "\(id)-\(name)"
        names.insert(free)
        return free
    }

    /// The list of members, by which archives are read.
    private mutating func end() throws(Problem) {
        let start = offset
        for member in members {
            var entry: [UInt8] = []
            Self.put(&entry, 0x0201_4B50, 4)
            Self.put(&entry, 20, 2)
            Self.describe(member, &entry)
            for (value, size) in [(0, 2), (0, 2), (0, 2), (0, 4), (member.offset, 4)] as [(UInt32, Int)] {
                Self.put(&entry, value, size)
            }
            try write(entry + member.name)
        }
        var tail: [UInt8] = []
        let count = UInt32(members.count)
        for (value, size) in [
            (0x0605_4B50, 4), (0, 2), (0, 2), (count, 2), (count, 2), (UInt32(offset - start), 4), (UInt32(start), 4),
            (0, 2),
        ] as [(UInt32, Int)] { Self.put(&tail, value, size) }
        try write(tail)
    }

    /// What a member's head and its entry have in common. Names are UTF-8, contents are stored.
    private static func describe(_ member: Member, _ bytes: inout [UInt8]) {
        for (value, size) in [
            (20, 2), (0x0800, 2), (0, 2), (member.date, 4), (member.checksum, 4), (member.size, 4), (member.size, 4),
            (UInt32(member.name.count), 2), (0, 2),
        ] as [(UInt32, Int)] { put(&bytes, value, size) }
    }

    private static func put(_ bytes: inout [UInt8], _ value: UInt32, _ size: Int) {
        for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * place))) }
    }

    private mutating func write(_ bytes: [UInt8]) throws(Problem) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + done, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .disk(errno: errno) }
            done += count
        }
        offset += UInt64(bytes.count)
    }
}

extension PhotoArchive {
    /// Whose turn it is: one archive at a time is on the disk, until it is sent.
    final class Turn: Sendable {
        private let isTaken = Atomic(false)

        /// Somebody's turn. It is over with the last reference.
        final class Held: Sendable {
            private let turn: Turn

            fileprivate init(_ turn: Turn) { self.turn = turn }

            deinit { turn.isTaken.store(false, ordering: .releasing) }
        }

        /// Nil while it is somebody else's.
        func take() -> Held? { isTaken.exchange(true, ordering: .acquiring) ? nil : Held(self) }
    }
}
