// SPDX-License-Identifier: MIT
// Fuzzes the development of photos from recordings of unknown origin.

import FuzzSupport
import LivecapDeveloping
import LivecapFrames
import LivecapStills

// Four bytes of the input select the photo. The rest is a dump, whose checksums are accepted unchecked.
fuzz { bytes, count in
    guard count > 4 else { return 0 }
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    withInputFile(UnsafeRawBufferPointer(rebasing: input[4...])) { path in
        guard let file = try? openDumpIgnoringChecksums(path) else { return }
        guard file.frameCount <= 64 else { return }
        let burst = KeptBurst(file)
        let settings = settings(input)
        // A photo planned to take more memory is refused with an error. One that takes more than planned is a finding
        // of libFuzzer's limits. The slowest method, `quality`, gets smaller pictures.
        let memory = settings.quality == .quality ? 16 << 20 : 32 << 20
        do throws(PhotoError) {
            let photo = try burst.photo(
                settings, of: reference(input, burst), movedBy: Int(Int8(bitPattern: input[3])), threads: 1,
                memory: memory)
            precondition(!photo.bytes.isEmpty, "a photo has a picture")
        } catch {
            _ = (error.message, error.hint)
        }
    }
    return 0
}

private func settings(_ input: UnsafeRawBufferPointer) -> PhotoSettings {
    let qualities = PhotoQuality.allCases, formats = StillFormat.allCases
    let quality = qualities[Int(input[0] & 15) % qualities.count]
    var settings = PhotoSettings(
        quality: quality, laterFrames: Int(input[1] & 3), format: formats[Int(input[0] >> 6) % formats.count],
        includesExplanation: input[0] & 16 != 0)
    if input[0] & 32 != 0 { settings.reference = .sharpest }
    if input[1] & 4 != 0 { settings.frames = Int(input[1] >> 3) & 7 + 1 }
    return settings
}

private func reference(_ input: UnsafeRawBufferPointer, _ burst: KeptBurst) -> KeptBurst.Reference {
    switch input[2] & 3 {
    case 0: .usual
    case 1: .at(.milliseconds(Int64(input[2] >> 2)))
    case 2: .at(.nanoseconds(input[2] & 4 != 0 ? Int64.min : .max))
    default: .frame(burst.frames.isEmpty ? FrameID(epoch: 0, counter: 0) : burst.frames[0].id)
    }
}
