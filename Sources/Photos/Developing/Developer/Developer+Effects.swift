// SPDX-License-Identifier: MIT
// Draws effects and the date into a photo, beside its plain picture.

import Fusion
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapStills

extension Developer {
    /// Draws what the settings ask for into a picture whose plain file is made, and makes its file. The date comes
    /// last. If there is nothing to draw after all, the plain picture is the photo.
    func draw(
        into picture: FusedPicture, of request: PhotoRequest, _ photo: inout Photo, _ watch: DevelopmentWatch
    ) throws(PhotoError) {
        var request = request
        var mask: StillMask?
        if let effects = request.settings.drawnEffects { mask = try draw(effects, into: picture, &photo, watch) }
        if let date = request.settings.date, !drawDate(date, into: picture, of: request, photo) {
            request.settings.date = nil
            photo.notes.append("no date is drawn: it is not known when this was")
            guard request.settings.hasDrawing else { return }
        }
        let drawn = Timestamp.now
        photo.plain = photo.bytes
        photo.date = request.settings.date
        let metadata = metadata(of: photo, request)
        photo.provenance = metadata.provenance
        photo.bytes = try encoder.encode(picture, request.settings, metadata)
        photo.mask = try mask.map { mask throws(PhotoError) in try encoded(mask, metadata, request.settings.format) }
        photo.took(.now - drawn, in: "encode")
        watch.trace("encode", drawn, .now)
    }

    /// Draws effects. Returns where people are, if any of them needs to know that.
    private func draw(
        _ effects: EffectSettings, into picture: FusedPicture, _ photo: inout Photo, _ watch: DevelopmentWatch
    ) throws(PhotoError) -> StillMask? {
        let begun = Timestamp.now
        let mask = try drawing(effects, into: picture).draw(into: picture, on: pool)
        if mask?.isSeen == false {
            photo.notes.append("people could not be looked for: all of the picture counts as behind them")
        }
        photo.took(.now - begun, in: "effects")
        watch.trace("effects", begun, .now)
        photo.effects = effects
        return mask
    }

    /// Draws the date so that it is upright where the picture is shown. Returns false if it is not known.
    private func drawDate(
        _ date: DateFormat, into picture: FusedPicture, of request: PhotoRequest, _ photo: Photo
    ) -> Bool {
        let metadata = metadata(of: photo, request)
        guard let time = metadata.time else { return false }
        picture.draw(date, of: time, seenAs: CameraMount(metadata.orientation))
        return true
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

extension FusedPicture {
    /// Draws a date at the lower left of what is seen once the picture is turned.
    func draw(_ date: DateFormat, of time: CalendarTime, seenAs mount: CameraMount) {
        var stamp = DateStamp(date, of: .unknown, in: PixelArea(size), seenAs: mount)
        stamp.show(time)
        let white: UInt16 = colorimetry.range == .limited ? 235 : 255
        let black: UInt16 = colorimetry.range == .limited ? 16 : 0
        // Samples are codes times 256.
        for (index, plane) in planes.enumerated() {
            stamp.draw(
                into: StampedPlane(
                    plane.samples.baseAddress!, stride: plane.width,
                    shared: index == 0 ? (1, 1) : (chroma.across, chroma.down),
                    ink: (index == 0 ? white : 128) << 8, outline: (index == 0 ? black : 128) << 8))
        }
    }
}
