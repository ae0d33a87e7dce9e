// SPDX-License-Identifier: MIT
// Where everything went, and what the light did, between the reference and each other frame.

import CFusionKernels
import Frames

/// Aligns a burst. It owns the fields and the matched planes that the following stages read.
final class MotionStage: @unchecked Sendable {
    private let kernels: UnsafePointer<fusion_kernels>
    private let pool: any FusionPool
    private let chroma: ChromaGrid
    private let aligners: [GlobalAligner]
    private let matchers: [ColorMatcher]
    private let suspects: [Suspects]
    private let local: LocalAligner
    /// The others in the reference's colours, where those had changed; made when the first one needs it.
    private var matched: [FusionFrame?]
    /// The motion of the whole picture, of each other frame.
    private(set) var whole: [AffineMotion]
    private var matches: [ColorMatch]
    /// What tiles differ by under the motion of the whole, of each other frame.
    private var errors: [Float]
    /// From each frame to the next.
    private var steps: [AffineMotion?]
    /// Whether each frame and the next show the same scene; then, each other frame and the reference.
    private let likeness = Scratch<Bool>(Fuser.mostFrames, filledWith: true)
    /// Why another frame is left out; nil where it is not.
    private(set) var rejections: [FusionReport.Rejection?]
    /// What lies between each frame of the burst and the next, whatever others forget meanwhile.
    private(set) var links: [FrameLinks.Link?]
    private let known: FrameLinks
    /// The motion of its parts: of Y', and of chroma.
    let fields: [MotionField]
    let chromaFields: [MotionField]

    init(
        _ frame: FusionFrame, _ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>, _ pool: any FusionPool,
        _ known: FrameLinks
    ) {
        (self.kernels, self.pool, self.chroma, self.known) = (kernels, pool, chroma, known)
        links = .init(repeating: nil, count: Fuser.mostFrames)
        let size = frame.format.size, others = 0..<Merger.mostOthers
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

    /// Finds the motion of the whole picture: from frame to frame, where it is not remembered, and from there between the
    /// reference and each other frame. `besides` is done meanwhile.
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
                // A frame in between that shows something else breaks the chain; those behind it are looked for alone.
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

    /// Finds the motion between frames that follow each other.
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

    /// Remembers the noise of a frame and the next, for the shots to come.
    func remember(_ noise: [NoiseModel], at place: Int) {
        guard var link = links[place] else { preconditionFailure("noise between frames that were not linked") }
        link.noise = noise
        links[place] = link
        known.remember(link)
    }

    /// The motion from the reference to a frame, from frame to frame.
    private func chained(_ burst: Burst, to place: Int) -> AffineMotion {
        let reference = burst.referencePlace
        var motion = steps[min(place, reference)]!
        for next in min(place, reference) + 1..<max(place, reference) { motion = motion.then(steps[next]!) }
        return place < reference ? motion.reversed : motion
    }

    /// Finds what brightness and white balance did, and takes it away where it did anything; and whether frames show the
    /// same scene at all.
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
                            // Motion is known well only now. Where that leaves too little to tell, what was told stays.
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

    /// Leaves out what is no frame of this scene, or nothing new.
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

    /// Finds what moved on its own, by the noise of each plane, and writes all motion into the fields.
    func followParts(_ burst: Burst, _ models: [NoiseModel]) {
        let noise = models[0]
        let others = burst.others.indices.map { frame(burst, $0) }
        let (aligners, suspects, whole, rejections) = (aligners, suspects, whole, rejections)
        pool.run(burst.others.count) { index in
            suspects[index].count = 0
            guard rejections[index] == nil else { return }
            aligners[index].findSuspects(
                burst.reference, others[index], whole[index], noise, into: suspects[index])
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
    /// Another frame in the reference's colours: its samples, and the levels motion is looked for in.
    fileprivate func apply(to frame: FusionFrame, _ kernels: UnsafePointer<fusion_kernels>, into out: FusionFrame) {
        let shrinker = Shrinker(kernels), height = frame.planes[0].height
        let bands = (height + Shrinker.bandRows - 1) / Shrinker.bandRows
        for band in 0..<bands {
            apply(to: frame, rows: Shrinker.bandRows * band..<min(Shrinker.bandRows * (band + 1), height), kernels, out)
            // While the rows are in the cache.
            shrinker.halveInside(out, band: band)
        }
        for plane in out.planes { plane.fillMarginRows() }
        for band in 0..<bands { shrinker.shrinkSeams(out, band: band) }
        out.levels[0].fillMargins()
        shrinker.shrinkLevels(out)
    }

    private func apply(
        to frame: FusionFrame, rows band: Range<Int>, _ kernels: UnsafePointer<fusion_kernels>, _ out: FusionFrame
    ) {
        let (planes, luma, chroma) = (frame.planes, frame.planes[0], frame.chroma)
        /// A row of a plane made of those of all.
        func match(_ y: Int, _ place: Int, _ row: SIMD4<Float>) {
            let chromaRow = chroma == .quads ? y / 2 : y, pairs = planes[1].width
            let (cb, cr) = (planes[1].row(chromaRow), planes[2].row(chromaRow))
            let out = out.planes[place].row(place == 0 ? y : chromaRow)
            withUnsafeFloats(row) { row in
                guard let channels = clipped?.channels else {
                    let kernel = place == 0 ? kernels.pointee.match_luma : kernels.pointee.match_chroma
                    return kernel!(luma.row(y), cb, cr, pairs, row, out)
                }
                let kernel = place == 0 ? kernels.pointee.match_clipped_luma : kernels.pointee.match_clipped_chroma
                withUnsafeFloats(channels) { kernel!(luma.row(y), cb, cr, pairs, $0, row, out) }
            }
        }
        let matched = clipped?.rows ?? rows
        for y in band {
            guard chroma != .none else {
                kernels.pointee.match_grey(luma.row(y), luma.width, rows.0.x, rows.0.w, out.planes[0].row(y))
                continue
            }
            match(y, 0, matched.0)
            guard chroma == .pairs || y % 2 == 0 else { continue }
            match(y, 1, matched.1)
            match(y, 2, matched.2)
        }
    }
}

/// The floats that a row of a match, or several, is made of.
private func withUnsafeFloats<Rows>(_ rows: Rows, _ body: (UnsafePointer<Float>) -> Void) {
    withUnsafeBytes(of: rows) { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
}
