// SPDX-License-Identifier: MIT
// Which frame's moment a photo shows.

import LivecapDetection
import LivecapFrames

extension Developer {
    /// The index of the frame whose moment the picture shows; the nearest of equally good ones. Nil if there are no
    /// frames.
    func reference(
        among frames: [PreparedFrame], nearest: FrameMetadata, _ request: PhotoRequest, _ photo: inout Photo,
        _ watch: DevelopmentWatch
    ) -> Int? {
        if request.settings.reference == .best {
            return FrameScore.best(of: scores(of: frames, &photo, watch)) { first, second in
                request.isNearer(frames[first].metadata, than: frames[second].metadata, nearest)
            }
        }
        return frames.indices.min { a, b in
            let (first, second) = (frames[a], frames[b])
            if request.settings.reference == .sharpest && first.prepared.sharpness != second.prepared.sharpness {
                return first.prepared.sharpness > second.prepared.sharpness
            }
            return request.isNearer(first.metadata, than: second.metadata, nearest)
        }
    }

    /// How good the frames are: by their faces, or by sharpness alone if there are none or they cannot be looked for.
    private func scores(
        of frames: [PreparedFrame], _ photo: inout Photo, _ watch: DevelopmentWatch
    ) -> [FrameScore] {
        let bySharpness = frames.map { FrameScore(sharpness: $0.prepared.sharpness) }
        guard frames.count > 1 else { return bySharpness }
        let begun = Timestamp.now
        var faces: [[FaceFacts]] = []
        do throws(NetError) {
            for frame in frames { faces.append(try faceFinder(frame.prepared)) }
        } catch {
            // What is known of only some of them is no reason to prefer one.
            photo.notes.append("faces were not looked at: \(error.message)")
            return bySharpness
        }
        photo.took(.now - begun, in: "faces")
        watch.trace("faces", begun, .now)
        guard let people = faces.map(\.count).max(), people > 0 else { return bySharpness }
        return zip(frames, faces).map { frame, faces in FrameScore(frame.prepared, faces, people: people) }
    }
}
