// SPDX-License-Identifier: MIT
// Finds the motion, and the change of light, between the reference and each other frame.

import LivecapCFusionKernels
import LivecapFrames

/// Aligns a burst. It owns the motion fields and the colour-matched frames that later stages read.
final class MotionStage: @unchecked Sendable {
    private let kernels: UnsafePointer<fusion_kernels>
    private let pool: any FusionPool
    private let chroma: ChromaGrid
    private let aligners: [GlobalAligner]
    private let matchers: [ColorMatcher]
    private let suspects: [Suspects]
    private let local: LocalAligner
    /// The other frames in the reference's colours, if those had changed. Allocated when first needed.
    private var matched: [FusionFrame?]
    /// For each other frame, the motion of the whole picture.
    private(set) var whole: [AffineMotion]
    private var matches: [ColorMatch]
    /// For each other frame, the median tile's error under the motion of the whole, in squared codes.
    private var errors: [Float]
    /// The motion from each frame to the next.
    private var steps: [AffineMotion?]
    /// In `link`, whether each frame and the next show the same scene; from `matchColors` on, whether each other
    /// frame and the reference do.
    private let likeness = Scratch<Bool>(Fuser.maxFrames, filledWith: true)
    /// For each other frame, why it is left out; nil if it is not.
    private(set) var rejections: [FusionReport.Rejection?]
    /// The links between consecutive frames of the burst. Kept here because `known` may forget them meanwhile.
    private(set) var links: [FrameLinks.Link?]
    private let known: FrameLinks
    /// For each other frame, the motion of its parts, in Y' and in chroma.
    let fields: [MotionField]
    let chromaFields: [MotionField]

    init(
        _ frame: FusionFrame, chroma: ChromaGrid, kernels: UnsafePointer<fusion_kernels>, pool: any FusionPool,
        known: FrameLinks
    ) {
        self.kernels = kernels
        self.pool = pool
        self.chroma = chroma
        self.known = known
        links = .init(repeating: nil, count: Fuser.maxFrames)
        let size = frame.format.size, others = 0..<Merger.maxOthers
        aligners = others.map { _ in GlobalAligner(frame, kernels) }
        matchers = others.map { _ in ColorMatcher(frame) }
        suspects = others.map { _ in Suspects(frame) }
        local = LocalAligner(frame.levels, kernels)
        matched = others.map { _ in nil }
        whole = others.map { _ in AffineMotion(width: size.width, height: size.height) }
        matches = others.map { _ in ColorMatch() }
        errors = others.map { _ in 0 }
        rejections = others.map { _ in nil }
        steps = others.map { _ in nil }
        fields = others.map { _ in MotionField(width: size.width, height: size.height) }
        chromaFields =
            frame.planes.count < 2
            ? [] : others.map { _ in MotionField(width: frame.planes[1].width, height: frame.planes[1].height) }
    }

    /// Finds the motion of the whole picture: first between consecutive frames, unless it is remembered, and from
    /// that between the reference and each other frame. `besides` runs at the same time.
    func followWhole(_ burst: Burst, besides: @Sendable () -> Void) {
        link(burst, besides)
        let aligners = aligners
        whole.withUnsafeMutableBufferPointer { whole in
            errors.withUnsafeMutableBufferPointer { errors in
                nonisolated(unsafe) let (whole, errors) = (whole, errors)
                for index in burst.others.indices { whole[index] = chained(burst, to: burst.places[index]) }
                pool.run(burst.others.count) { index in
                    errors[index] = aligners[index].refine(burst.reference, burst.others[index], &whole[index])
                }
                // A frame in between that shows something else breaks the chain. The frames beyond it are aligned
                // with the reference directly.
                let usual = errors[..<burst.others.count].min() ?? 0
                pool.run(burst.others.count) { index in
                    guard errors[index] > 3 * usual + 2 else { return }
                    var direct = aligners[index].align(burst.reference, burst.others[index])
                    let error = aligners[index].refine(burst.reference, burst.others[index], &direct)
                    if error < errors[index] {
                        whole[index] = direct
                    } else {
                        aligners[index].refine(burst.reference, burst.others[index], &whole[index])
                    }
                }
            }
        }
    }

    /// Finds the motion between consecutive frames.
    private func link(_ burst: Burst, _ besides: @Sendable () -> Void) {
        let (frames, aligners, matchers, likeness) = (burst.frames, aligners, matchers, likeness)
        steps.withUnsafeMutableBufferPointer { steps in
            nonisolated(unsafe) let steps = steps
            for place in frames.indices.dropLast() {
                links[place] = known.link(frames[place], frames[place + 1])
                steps[place] = links[place]?.motion
            }
            pool.run(frames.count) { place in
                guard place < frames.count - 1 else { return besides() }
                guard steps[place] == nil else { return }
                let motion = aligners[place].align(frames[place], frames[place + 1])
                steps[place] = motion
                likeness[place] = matchers[place].areAlike(
                    frames[place], frames[place + 1], motion, by: ColorMatcher.asFramesInARow)
            }
            for place in frames.indices.dropLast() where links[place] == nil {
                let link = FrameLinks.Link(
                    frames[place], frames[place + 1], steps[place]!, areAlike: likeness[place])
                links[place] = link
                known.remember(link)
            }
        }
    }

    /// Remembers the noise between a frame and the next for later shots.
    func remember(_ noise: [NoiseModel], at place: Int) {
        guard var link = links[place] else { preconditionFailure("noise between frames that were not linked") }
        link.noise = noise
        links[place] = link
        known.remember(link)
    }

    /// The motion from the reference to a frame, as the combined motion of the frames in between.
    private func chained(_ burst: Burst, to place: Int) -> AffineMotion {
        let reference = burst.referencePlace
        var motion = steps[min(place, reference)]!
        for next in min(place, reference) + 1..<max(place, reference) { motion = motion.then(steps[next]!) }
        return place < reference ? motion.reversed : motion
    }

    /// Measures the change of brightness and white balance and corrects it where there is any; and decides whether
    /// frames show the same scene at all.
    func matchColors(_ burst: Burst) {
        let (matchers, whole) = (matchers, whole)
        matches.withUnsafeMutableBufferPointer { matches in
            nonisolated(unsafe) let matches = matches
            pool.run(burst.others.count) { index in
                matches[index] = matchers[index].match(burst.reference, burst.others[index], whole[index])
            }
        }
        for index in burst.others.indices where matches[index].isWorthwhile && matched[index] == nil {
            matched[index] = FusionFrame(burst.reference.format, chroma)
        }
        let (matched, aligners, likeness) = (matched, aligners, likeness)
        // The kernels are constants of the program.
        nonisolated(unsafe) let kernels = kernels
        self.whole.withUnsafeMutableBufferPointer { whole in
            matches.withUnsafeMutableBufferPointer { matches in
                nonisolated(unsafe) let (whole, matches) = (whole, matches)
                pool.run(burst.others.count) { index in
                    if matches[index].isWorthwhile, let matched = matched[index] {
                        let frame = burst.others[index]
                        matches[index].apply(to: frame, kernels, into: matched)
                        aligners[index].refine(burst.reference, matched, &whole[index])
                        if matches[index].isExposure {
                            // The motion is known accurately only now. If it leaves too little to measure, the first
                            // match stays.
                            let again = matchers[index].match(
                                burst.reference, frame, whole[index], isExposure: true)
                            if again.isWorthwhile {
                                matches[index] = again
                                again.apply(to: frame, kernels, into: matched)
                            }
                        }
                    }
                    likeness[index] = matchers[index].areAlike(burst.reference, burst.others[index], whole[index])
                }
            }
        }
    }

    /// Rejects frames that do not show this scene, and frames that add nothing new.
    func reject(_ burst: Burst) {
        for index in burst.others.indices {
            let frame = burst.others[index]
            let isKnown = frame.isSame(as: burst.reference) || burst.others[..<index].contains { $0.isSame(as: frame) }
            rejections[index] =
                isKnown
                ? .repeated : !matches[index].isPossible ? .brightness : !likeness[index] ? .unaligned : nil
        }
    }

    /// Another frame, in the reference's colours.
    func frame(_ burst: Burst, _ other: Int) -> FusionFrame {
        matches[other].isWorthwhile ? matched[other]! : burst.others[other]
    }

    /// Whether the light of a frame's rows was made the reference's.
    func hasRowLight(_ burst: Burst, at place: Int) -> Bool {
        burst.places.firstIndex(of: place).map { matches[$0].rowLight != nil } ?? false
    }

    /// Any frame, in the reference's colours.
    func matchedFrame(_ burst: Burst, at place: Int) -> FusionFrame {
        burst.places.firstIndex(of: place).map { frame(burst, $0) } ?? burst.reference
    }

    /// Finds what moved on its own, given the noise of each plane, and writes all motion to the fields.
    func followParts(_ burst: Burst, _ models: [NoiseModel]) {
        let noise = models[0]
        let others = burst.others.indices.map { frame(burst, $0) }
        let (aligners, suspects, whole, rejections) = (aligners, suspects, whole, rejections)
        pool.run(burst.others.count) { index in
            suspects[index].count = 0
            guard rejections[index] == nil else { return }
            aligners[index].findSuspects(
                burst.reference, other: others[index], motion: whole[index], noise: noise, into: suspects[index])
        }
        let (local, fields, chromaFields, step) = (local, fields, chromaFields, chroma == .quads ? 2 : 1)
        pool.run(LocalAligner.bands) { band in
            let rows = local.cells(fields[0], band: band)
            guard !rows.isEmpty else { return }
            for index in burst.others.indices {
                fields[index].fill(whole[index], rows: rows)
                if rejections[index] != nil { fields[index].leaveOut(rows: rows) }
                let earlier = burst.between[index].map { (fields[$0.other], $0.factor) }
                local.align(
                    LocalAligner.Job(
                        reference: burst.reference, other: others[index], whole: whole[index],
                        suspects: suspects[index], noise: noise,
                        colors: TileColors(reference: burst.reference, other: others[index], noise: models),
                        field: fields[index], earlier: earlier), band: band)
                if !chromaFields.isEmpty { chromaFields[index].halve(fields[index], step: step, rows: rows) }
            }
        }
    }
}

extension ColorMatch {
    /// Converts another frame to the reference's colours: its samples, and the levels in which motion is searched.
    fileprivate func apply(to frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>, into out: FusionFrame) {
        let shrinker = Shrinker(kernels), height = frame.planes[0].height
        let bands = (height + Shrinker.bandRows - 1) / Shrinker.bandRows
        for band in 0..<bands {
            apply(to: frame, rows: Shrinker.bandRows * band..<min(Shrinker.bandRows * (band + 1), height), kernels, out)
            // While the rows are still in the cache.
            shrinker.halveInside(out, band: band)
        }
        for plane in out.planes { plane.fillMarginRows() }
        // Matched samples are rounded to codes.
        for (fine, plane) in zip(out.fine, out.planes) { fine.widen(plane) }
        for band in 0..<bands { shrinker.shrinkSeams(out, band: band) }
        out.levels[0].fillMargins()
        shrinker.shrinkLevels(out)
    }

    private func apply(
        to frame: FusionFrame, rows band: Range<Int>, _ kernels: UnsafePointer<fusion_kernels>, _ out: FusionFrame
    ) {
        let (planes, luma, chroma) = (frame.planes, frame.planes[0], frame.chroma)
        /// Computes one row of plane `place` from that row of all planes.
        func match(_ y: Int, _ place: Int, _ row: SIMD4<Float>) {
            let chromaRow = chroma == .quads ? y / 2 : y, pairs = planes[1].width
            let (cb, cr) = (planes[1].row(chromaRow), planes[2].row(chromaRow))
            let out = out.planes[place].row(place == 0 ? y : chromaRow)
            withUnsafeFloats(row) { row in
                guard let channels = clipped?.channels else {
                    let kernel = place == 0 ? kernels.pointee.color.match_luma : kernels.pointee.color.match_chroma
                    return kernel!(luma.row(y), cb, cr, pairs, row, out)
                }
                let kernel =
                    place == 0 ? kernels.pointee.color.match_clipped_luma : kernels.pointee.color.match_clipped_chroma
                withUnsafeFloats(channels) { kernel!(luma.row(y), cb, cr, pairs, $0, row, out) }
            }
        }
        let matched = clipped?.rows ?? rows
        for y in band {
            guard chroma != .none else {
                kernels.pointee.color.match_grey(luma.row(y), luma.width, rows.0.x, rows.0.w, out.planes[0].row(y))
                rowLight?.apply(to: out.planes[0].row(y), count: luma.width, row: y)
                continue
            }
            match(y, 0, matched.0)
            rowLight?.apply(to: out.planes[0].row(y), count: luma.width, row: y)
            guard chroma == .pairs || y % 2 == 0 else { continue }
            let factor = rowLight?.chromaFactor(ofRow: y) ?? 1
            match(y, 1, matched.1 * factor)
            match(y, 2, matched.2 * factor)
        }
    }
}

/// The floats of one row of a match, or of several.
private func withUnsafeFloats<Rows>(_ rows: Rows, _ body: (UnsafePointer<Float>) -> Void) {
    withUnsafeBytes(of: rows) { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
}
