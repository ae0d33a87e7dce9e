// SPDX-License-Identifier: MIT
// Draws effects into a photo, beside its plain picture.

import Fusion
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapStills

extension Developer {
    /// Draws effects into a picture whose plain file is made, and makes its file.
    func draw(
        _ effects: EffectSettings, into picture: FusedPicture, of request: PhotoRequest, _ photo: inout Photo,
        _ watch: DevelopmentWatch
    ) throws(PhotoError) {
        let begun = Timestamp.now
        let mask = try drawing(effects, into: picture).draw(into: picture, on: pool)
        if mask?.isSeen == false {
            photo.notes.append("people could not be looked for: all of the picture counts as behind them")
        }
        photo.took(.now - begun, in: "effects")
        watch.trace("effects", begun, .now)
        let drawn = Timestamp.now
        photo.plain = photo.bytes
        photo.effects = effects
        let metadata = metadata(of: photo, request)
        photo.provenance = metadata.provenance
        photo.bytes = try encoder.encode(picture, request.settings, metadata)
        photo.mask = try mask.map { mask throws(PhotoError) in try encoded(mask, metadata, request.settings.format) }
        photo.took(.now - drawn, in: "encode")
        watch.trace("encode", drawn, .now)
    }

    /// A mask as a file, turned as the pixels of the photo's file are.
    private func encoded(
        _ mask: StillMask, _ metadata: PhotoMetadata, _ format: StillFormat
    ) throws(PhotoError) -> [UInt8] {
        var turned = PhotoMetadata()
        if format != .jpeg { turned.orientation = metadata.orientation }
        do throws(StillError) {
            return try PNGEncoder(depth: .eight).encode(
                grey: mask.samples, size: FrameSize(width: mask.width, height: mask.height), metadata: turned)
        } catch { throw error.photoError(.png) }
    }

    /// What draws these effects into pictures such as this one.
    private func drawing(_ settings: EffectSettings, into picture: FusedPicture) throws(PhotoError) -> StillEffects {
        if let effects, effects.settings == settings, effects.fits(picture) { return effects }
        // Two would need twice the memory.
        effects = nil
        let chosen: KernelLevel
        do throws(FusionError) {
            chosen = if let level { level } else { try KernelLevel.chosen() }
        } catch {
            throw .unprocessed("effects cannot be drawn: \(error.message)")
        }
        do throws(NetError) {
            let made = try StillEffects(picture.size, picture.colorimetry, settings, by: Nets(), at: chosen)
            effects = made
            return made
        } catch { throw .noEffects(error.message, hint: error.hint) }
    }
}
