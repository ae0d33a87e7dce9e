// SPDX-License-Identifier: MIT
// Finds where everything of the picture shown last is in a new frame.

import LivecapCFusionKernels
import LivecapFrames

/// The motion from each new frame to what was shown before. It owns its working memory.
final class LiveMotion: @unchecked Sendable {
    private let aligner: GlobalAligner
    private let matcher: ColorMatcher
    private let suspects: Suspects
    private let local: LocalAligner
    private let step: Int
    /// The motion of each plane's cells.
    let fields: [MotionField]
    /// The motion of the whole picture.
    private(set) var whole: AffineMotion
    /// The noise as the search for parts that move by themselves takes it.
    private var models: [NoiseModel]

    init(_ frame: FusionFrame, _ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>) {
        aligner = GlobalAligner(frame, kernels)
        matcher = ColorMatcher(frame)
        suspects = Suspects(frame)
        local = LocalAligner(frame.levels, kernels)
        step = chroma == .quads ? 2 : 1
        fields = frame.planes.map { MotionField(width: $0.width, height: $0.height) }
        whole = AffineMotion(width: frame.format.size.width, height: frame.format.size.height)
        models = frame.planes.map { _ in NoiseModel(white: 4) }
        for place in models.indices { models[place].spectrum[0] = 4 }
    }

    /// Finds the motion of a frame. False if it shows something else.
    func follow(_ frame: FusionFrame, shown: FusionFrame, noises: [LiveNoise], pool: any FusionPool) -> Bool {
        whole = aligner.align(frame, shown)
        aligner.refine(frame, shown, &whole)
        guard matcher.areAlike(frame, shown, whole) else { return false }
        suspects.count = 0
        if noises[0].isKnown {
            for (place, noise) in noises.enumerated() where noise.isKnown {
                for code in 0..<256 { models[place].variance[code] = noise.variance[code] }
            }
            aligner.findSuspects(frame, other: shown, motion: whole, noise: models[0], into: suspects)
        }
        let (local, fields, step, whole) = (local, fields, step, whole)
        let job = LocalAligner.Job(
            reference: frame, other: shown, whole: whole, suspects: suspects, noise: models[0],
            colors: TileColors(reference: frame, other: shown, noise: models), field: fields[0], earlier: nil)
        pool.run(LocalAligner.bands) { band in
            let rows = local.cells(fields[0], band: band)
            guard !rows.isEmpty else { return }
            fields[0].fill(whole, rows: rows)
            local.align(job, band: band)
            for field in fields.dropFirst() { field.halve(fields[0], step: step, rows: rows) }
        }
        return true
    }
}
