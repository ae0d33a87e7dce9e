// SPDX-License-Identifier: MIT
// The model of a disk that loses what was not synced, on short sequences of operations.

import LivecapSeededRandom
import Testing

@Suite struct DiskModelTests {
    private func disk(_ operations: (FileOperation.Kind, String, String, [UInt8])...) -> [String: [UInt8]?] {
        var disk = DiskModel()
        for (kind, path, target, bytes) in operations {
            disk.apply(FileOperation(kind: kind, path: path, target: target, offset: 0, bytes: bytes))
        }
        var none: (any RandomNumberGenerator)?
        return disk.afterPowerCut(&none)
    }

    @Test func aFileIsThereOnceItsBytesAndItsNameAreSynced() {
        let left = disk(
            (.create, "a", "", []), (.write, "a", "", [1]), (.sync, "a", "", []),
            (.sync, "", "", []))
        #expect(left == ["a": [1]])
    }

    @Test func aNameThatWasNotSyncedIsGone() {
        let left = disk(
            (.create, "a", "", []), (.write, "a", "", [1]), (.sync, "a", "", []))
        #expect(left.isEmpty)
    }

    @Test func bytesThatWereNotSyncedAreGone() {
        let left = disk(
            (.create, "a", "", []), (.write, "a", "", [1]), (.sync, "", "", []))
        #expect(left == ["a": []])
    }

    @Test func whatAFailedSyncLostStaysLost() {
        let left = disk(
            (.create, "a", "", []), (.sync, "", "", []), (.write, "a", "", [1]), (.lose, "a", "", []),
            (.sync, "a", "", []))
        #expect(left == ["a": []])
    }

    @Test func whatIsWrittenAgainAfterAFailedSyncIsThere() {
        let left = disk(
            (.create, "a", "", []), (.sync, "", "", []), (.write, "a", "", [1]), (.lose, "a", "", []),
            (.write, "a", "", [1]), (.sync, "a", "", []))
        #expect(left == ["a": [1]])
    }

    @Test func aRenameThatWasNotSyncedIsUndone() {
        let left = disk(
            (.create, "a", "", []), (.create, "b", "", []), (.write, "b", "", [2]),
            (.sync, "b", "", []), (.sync, "", "", []), (.rename, "b", "a", []))
        #expect(left == ["a": [], "b": [2]])
    }

    @Test func aFileInAFolderThatWasNotSyncedIsGone() {
        let left = disk(
            (.folder, "d", "", []), (.create, "d/a", "", []), (.sync, "d", "", []))
        #expect(left.isEmpty)
    }

    /// A rename takes effect for both of its names, or for none.
    @Test func chanceNeverTearsARename() {
        for seed in 0..<50 as Range<UInt64> {
            var disk = DiskModel()
            for (kind, path, target) in [(.create, "a", ""), (.sync, "", ""), (.rename, "a", "b")]
                as [(FileOperation.Kind, String, String)]
            {
                disk.apply(FileOperation(kind: kind, path: path, target: target, offset: 0, bytes: []))
            }
            var chance: (any RandomNumberGenerator)? = SeededRandom(seed: seed)
            #expect(disk.afterPowerCut(&chance).count == 1)
        }
    }
}
