// SPDX-License-Identifier: MIT
// How much room a library's disk has, and how much of it kept frames leave.

import Glibc

enum DiskRoom {
    /// What kept frames leave free: for the catalogue's log, and for pictures that are stored without frames meanwhile.
    static let besideFrames = 1 << 20
    /// What pictures leave free: for the catalogue's log.
    static let besidePictures = 256 << 10

    /// The bytes that are free on the disk of an open file or folder: `fstatvfs(3)`. Unlimited if that is unknown.
    static func free(around descriptor: Int32) -> Int {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { return .max }
        let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }
}
