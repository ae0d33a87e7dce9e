// SPDX-License-Identifier: MIT
// Masks of photos: where people are in them.

import LivecapFrameFiles

extension PhotoLibrary {
    /// A PNG of where people are in a photo's current picture: white where they are, turned as the pixels of the
    /// photo's file are. Nil if it has none: its effects do not need to know, or an earlier version took it.
    package func mask(of id: PhotoID) throws(LibraryError) -> [UInt8]? {
        let (photo, mask) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.mask(of: id))
        }
        guard photo != nil else { throw .noSuchPhoto(id) }
        guard let mask else { return nil }
        guard mask.png.withUnsafeBytes({ Checksum.of($0) }) == mask.checksum else {
            throw .damaged(
                folder.path(of: LibraryFolder.catalogue), detail: "the mask of photo \(id) has a wrong checksum")
        }
        return mask.png
    }

    /// Copies a photo's mask to `output`, as `export` does with its file.
    package func exportMask(
        of id: PhotoID, to output: String, overwrite: Bool = false
    ) throws(LibraryError) -> ExportedPhoto {
        guard let mask = try mask(of: id) else { throw .noMask(id) }
        return try put(mask, of: try photo(id), to: output, overwrite: overwrite, suffix: ".mask.png")
    }
}
