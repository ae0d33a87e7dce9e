// SPDX-License-Identifier: MIT
// The right to make a photo's final, which one at a time has.

/// The right to make a photo's final. Nobody else has it meanwhile, in any process; it ends with this value, or with the
/// process.
public struct FinishingClaim: ~Copyable, Sendable {
    /// The photo.
    public let photo: LibraryPhoto
    /// What it was given to the library with: the request says what to make.
    public let account: PhotoAccount
    /// How many attempts before this one ended with their process: by a crash, a kill or a power failure.
    public let brokenAttempts: Int
    /// Whether the photo was asked for by its number.
    public let isAskedFor: Bool
    /// Its byte of the library's lock is locked by this open file.
    private let lock: LockFile

    init(
        _ photo: LibraryPhoto, _ account: PhotoAccount, brokenAttempts: Int, isAskedFor: Bool,
        _ lock: consuming LockFile
    ) {
        (self.photo, self.account) = (photo, account)
        (self.brokenAttempts, self.isAskedFor) = (brokenAttempts, isAskedFor)
        self.lock = lock
    }
}
