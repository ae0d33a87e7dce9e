// SPDX-License-Identifier: MIT
// Pictures that come with a photo and show something of it: before and after, and what it rests on.

import Camera
import CommandTable
import LiveCapture

/// A kind of picture that comes with each photo, and its files.
struct Companion {
    private let files: PhotoFiles
    private let bytes: (Photo) -> [UInt8]?
    /// What a photo of a frame as it came has not.
    private let lack: String

    /// Those the command line asks for.
    static func all(_ arguments: Arguments, _ pictures: PictureOptions, count: Int) throws(Failure) -> [Companion] {
        var taken = [pictures.output]
        var companions: [Companion] = []
        for (option, bytes, lack) in [
            (ShootOptions.comparison, \Photo.comparison, "there is nothing to compare it with"),
            (ShootOptions.explanation, \Photo.explanation, "there is nothing to explain"),
        ] {
            guard let path = arguments[option] else { continue }
            guard !taken.contains(path) else {
                throw .pictures(
                    "--\(option.declaration.name): \(path) is where another picture goes",
                    hint: "give each a name of its own")
            }
            taken.append(path)
            let files = try attempt { () throws(CameraError) in
                try PhotoFiles(path, .png, count: count, mayReplace: pictures.mayReplace)
            }
            companions.append(Companion(files: files, bytes: { $0[keyPath: bytes] }, lack: lack))
        }
        return companions
    }

    /// Writes a photo's picture; why that failed, if it did. The photo itself is there.
    func write(_ photo: Photo) -> Failure? {
        guard let bytes = bytes(photo) else {
            Console.tell("note: shot \(photo.shot) is a frame as it came: \(lack)")
            return nil
        }
        do throws(Failure) {
            _ = try creating { () throws(CameraError) in
                try files.write(bytes, number: Int(clamping: photo.shot.number))
            }
            return nil
        } catch { return error }
    }
}
