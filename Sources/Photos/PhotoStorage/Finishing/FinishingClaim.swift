// SPDX-License-Identifier: MIT
// The exclusive claim to make a photo's final.

/// The exclusive claim to make a photo's final. No other claim of the photo exists meanwhile, in any process. It ends
/// with this value, or with the process.
package struct FinishingClaim: ~Copyable, Sendable {
    /// The photo.
    package let photo: LibraryPhoto
    /// The photo's account as it was added: its request says what to make.
    package let account: PhotoAccount
    /// How many earlier attempts ended with their process: by a crash, a kill or a power failure.
    package let brokenAttempts: Int
    /// Whether the photo was claimed by its number.
    package let isExplicit: Bool
    /// The open file that holds the lock on the photo's byte of the library's lock file.
    private let lock: LockFile

    init(
        _ photo: LibraryPhoto, _ account: PhotoAccount, brokenAttempts: Int, isExplicit: Bool,
        _ lock: consuming LockFile
    ) {
        self.photo = photo
        self.account = account
        self.brokenAttempts = brokenAttempts
        self.isExplicit = isExplicit
        self.lock = lock
    }
}
