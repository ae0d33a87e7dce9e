// SPDX-License-Identifier: MIT
// The files that understanding a picture needs, and how their contents are known.

import Glibc
import LivecapCxxhash
import LivecapFiles

/// A file of a pinned version: the runtime, or the model of a net. A damaged model crashes the runtime, and another
/// version of the runtime has another interface, so no file is used whose contents are not those that are known.
package struct NetFile: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// The XXH3-128 of its contents, in hexadecimal. It protects against damage and other versions, not against
    /// attackers: whoever may write to the folder may replace the program as well.
    package let checksum: String

    /// LiteRT 2.3.0, which runs nets.
    package static let liteRT: NetFile? = {
        #if arch(x86_64)
            NetFile(name: "libLiteRt.so", checksum: "4c2a3af72c32eea4fec031e4a43052e8")
        #elseif arch(arm64)
            NetFile(name: "libLiteRt.so", checksum: "2923a5b4935c13235d3c3451272ff11a")
        #else
            nil
        #endif
    }()
}

/// A net of mediapipe 0.10.21.
package enum NetModel: String, Hashable, Sendable, CaseIterable {
    /// Who is in the picture, sample by sample.
    case matte = "selfie_segmentation_landscape"
    /// Where faces are.
    case faces = "face_detection_full_range_sparse"
    /// The points of a face.
    case faceMesh = "face_landmark"
    /// Where hands are.
    case palms = "palm_detection_lite"
    /// The points of a hand.
    case hand = "hand_landmark_lite"

    /// The file it comes in.
    package var file: NetFile {
        let checksum =
            switch self {
            case .matte: "8b5d957a0c161fe829bfcb1e81d29502"
            case .faces: "244d3b5a94f67daf067da6bf9b06775b"
            case .faceMesh: "830ea925d777253f7f05301899fc29cc"
            case .palms: "c8eb451fc487ce2db9c9afc1176a9e77"
            case .hand: "96a80708ae6533b55be8174f947da63f"
            }
        return NetFile(name: rawValue + ".tflite", checksum: checksum)
    }
}

/// The contents of a file that are those that are known, in memory until this is released. The file is not looked at
/// again.
final class CheckedFile {
    let bytes: UnsafeRawBufferPointer
    /// The file itself, for those who can only load a file.
    let descriptor: Int32

    /// No file of ours is larger.
    private static let mostBytes = 64 << 20

    /// Nil if the folder has no such file that can be read.
    /// - Throws: `otherVersion` if its contents are others.
    init?(_ file: NetFile, in folder: String) throws(NetError) {
        let path = folder + "/" + file.name
        let descriptor = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        let count = Int(status.st_size)
        guard count > 0, count <= Self.mostBytes else {
            close(descriptor)
            throw .otherVersion(path: path)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        var filled = 0
        while filled < count {
            let more = uninterrupted { read(descriptor, memory.baseAddress! + filled, count - filled) }
            guard more > 0 else { break }
            filled += more
        }
        guard filled == count, Self.checksum(UnsafeRawBufferPointer(memory)) == file.checksum else {
            memory.deallocate()
            close(descriptor)
            throw .otherVersion(path: path)
        }
        bytes = UnsafeRawBufferPointer(memory)
        self.descriptor = descriptor
    }

    /// The first of these folders' files whose contents are the known ones; nil if none has such a file.
    /// - Throws: `otherVersion` if there are only others.
    convenience init?(_ file: NetFile, inOneOf folders: [String]) throws(NetError) {
        var other: NetError?
        for folder in folders {
            do throws(NetError) {
                guard try CheckedFile(file, in: folder) != nil else { continue }
            } catch {
                other = other ?? error
                continue
            }
            try self.init(file, in: folder)
            return
        }
        if let other { throw other }
        return nil
    }

    deinit {
        bytes.deallocate()
        close(descriptor)
    }

    /// The XXH3-128 of bytes in hexadecimal, as `xxhsum -H2` prints it.
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> String {
        let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
        return [hash.high64, hash.low64].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}
