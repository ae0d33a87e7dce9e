// SPDX-License-Identifier: MIT
// Which parameters of H.264 say that each picture can be shown when it comes.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct H264SequenceTests {
    /// A sequence parameter set, as a camera may write it.
    struct Writer {
        var profile: UInt32 = 66
        /// Chroma, the depths above 8, and lists of scales, of profiles that say so.
        var samples: (chroma: UInt32, depth: UInt32)?
        var hasLists = false
        var order: UInt32 = 0
        /// In blocks of 16.
        var blocks: (columns: UInt32, rows: UInt32) = (120, 68)
        var isInterlaced = false
        /// At the right and the bottom, in pairs of samples.
        var crop: (right: UInt32, bottom: UInt32)?
        var hasUsability = false
        var hasRates = false
        /// How many pictures may come out of order, where the stream says so.
        var reordered: UInt32?

        private var bits: [UInt8] = []

        init(_ change: (inout Writer) -> Void = { _ in }) { change(&self) }

        private mutating func put(_ value: UInt32, _ count: Int) {
            for place in (0..<count).reversed() { bits.append(UInt8(value >> UInt32(place) & 1)) }
        }

        private mutating func number(_ value: UInt32) {
            let length = 32 - (value + 1).leadingZeroBitCount
            put(0, length - 1)
            put(value + 1, length)
        }

        private mutating func putSamples() {
            guard let samples else { return }
            number(samples.chroma)
            number(samples.depth)
            number(samples.depth)
            put(0, 1)
            put(hasLists ? 1 : 0, 1)
            guard hasLists else { return }
            // The first list has 16 differences of 1, the second ends at once by a difference of -8, others are usual.
            put(1, 1)
            for _ in 0..<16 { number(1) }
            put(1, 1)
            number(16)
            put(0, 6)
        }

        private mutating func putOrder() {
            number(order)
            switch order {
            case 0: number(2)
            case 1:
                put(0, 1)
                for value: UInt32 in [3, 4, 2, 7, 8] { number(value) }
            default: break
            }
        }

        private mutating func putUsability() {
            put(1, 1)
            put(255, 8)
            put(0x0004_0003, 32)
            put(0b11, 2)
            // The signal, with colours.
            put(0b1_101_1_1, 6)
            put(0x0101_01, 24)
            put(1, 1)
            number(0)
            number(0)
            put(1, 1)
            put(1001, 32)
            put(60_000, 32)
            put(1, 1)
            put(hasRates ? 1 : 0, 1)
            if hasRates {
                number(0)
                put(0x44, 8)
                number(999_999)
                number(123)
                put(1, 1)
                put(0xABCDE, 20)
            }
            put(0, 1)
            if hasRates { put(0, 1) }
            put(0, 1)
            put(reordered == nil ? 0 : 1, 1)
            guard let reordered else { return }
            put(1, 1)
            for value: UInt32 in [0, 0, 11, 11, reordered, 4] { number(value) }
        }

        /// The unit after its start code, with what keeps it from looking like others.
        mutating func bytes() -> [UInt8] {
            bits = []
            put(profile, 8)
            put(0, 8)
            put(40, 8)
            number(0)
            putSamples()
            number(0)
            putOrder()
            number(1)
            put(0, 1)
            number(blocks.columns - 1)
            number(blocks.rows - 1)
            put(isInterlaced ? 0 : 1, 1)
            if isInterlaced { put(0, 1) }
            put(1, 1)
            put(crop == nil ? 0 : 1, 1)
            if let crop { for value: UInt32 in [0, crop.right, 0, crop.bottom] { number(value) } }
            put(hasUsability || reordered != nil ? 1 : 0, 1)
            if hasUsability || reordered != nil { putUsability() }
            put(1, 1)
            while bits.count % 8 != 0 { bits.append(0) }
            var unit: [UInt8] = [0, 0, 0, 1, 0x67]
            for begin in stride(from: 0, to: bits.count, by: 8) {
                var byte: UInt8 = 0
                for bit in bits[begin..<begin + 8] { byte = byte << 1 | bit }
                if unit.count > 6, unit.suffix(2) == [0, 0], byte <= 3 { unit.append(3) }
                unit.append(byte)
            }
            return unit
        }
    }

    private func read(_ bytes: [UInt8]) -> H264Sequence? { bytes.withUnsafeBytes { H264Sequence(in: $0) } }

    private func read(_ change: (inout Writer) -> Void) -> H264Sequence? {
        var writer = Writer(change)
        return read(writer.bytes())
    }

    private func isShownAtOnce(_ bytes: [UInt8], _ size: FrameSize) -> Bool {
        bytes.withUnsafeBytes { H264Sequence.isShownAtOnce($0, size: size) }
    }

    @Test func sizesAreThoseOfWhatIsShown() {
        #expect(read { _ in }?.size == FrameSize(width: 1920, height: 1088))
        #expect(read { $0.crop = (0, 4) }?.size == FrameSize(width: 1920, height: 1080))
        #expect(read { $0.blocks = (10, 6) }?.size == FrameSize(width: 160, height: 96))
        let fields = read { writer in
            writer.blocks.rows = 34
            writer.isInterlaced = true
            writer.crop = (3, 2)
        }
        #expect(fields?.size == FrameSize(width: 1914, height: 1080) && fields?.isUsual == false)
        // More is cut off than there is.
        #expect(read { $0.crop = (960, 0) } == nil)
    }

    /// What a stream says, and whether it excludes pictures out of order.
    struct Order: Sendable {
        let profile: UInt32
        let order: UInt32
        /// "-" without a word about use, "?" with one that leaves this out, or how many may be out of order.
        let reordered: String
        let isExcluded: Bool

        init(_ text: String) {
            let words = text.split(separator: " ").map(String.init)
            profile = UInt32(words[0]) ?? 0
            order = UInt32(words[1]) ?? 0
            reordered = words[2]
            isExcluded = words[3] == "yes"
        }
    }

    private static let orders = [
        "66 0 - yes", "66 1 - yes", "66 2 - yes", "77 0 - no", "77 1 - no", "77 2 - yes", "100 0 - no", "100 2 - yes",
        "77 0 ? no", "66 0 ? yes", "100 2 ? yes", "77 0 0 yes", "77 0 1 no", "100 0 0 yes", "100 0 2 no", "66 0 2 no",
        "100 2 1 no",
    ]

    @Test(arguments: orders) func orderIsExcluded(_ text: String) {
        let order = Order(text)
        for hasRates in [false, true] {
            let sequence = read { writer in
                writer.profile = order.profile
                writer.order = order.order
                writer.hasRates = hasRates
                writer.hasUsability = order.reordered == "?"
                writer.reordered = UInt32(order.reordered)
                if order.profile == 100 { writer.samples = (1, 0) }
            }
            #expect(sequence?.isInOrder == order.isExcluded)
            #expect(sequence?.isUsual == true)
        }
    }

    @Test func samplesThatBrowsersDoNotDecodeAreUnusual() {
        let samples: [[UInt32]] = [[1, 0], [0, 0], [2, 0], [1, 2]]
        for pair in samples {
            let sequence = read { writer in
                writer.profile = 122
                writer.samples = (pair[0], pair[1])
            }
            #expect(sequence?.isUsual == (pair == [1, 0]))
            #expect(sequence?.size.width == 1920)
        }
        let listed = read { writer in
            writer.profile = 100
            writer.samples = (1, 0)
            writer.hasLists = true
            writer.crop = (0, 4)
            writer.reordered = 0
        }
        #expect(listed?.size == FrameSize(width: 1920, height: 1080) && listed?.isInOrder == true)
    }

    @Test func whatIsCutShortSaysNothing() {
        var writer = Writer { writer in
            writer.crop = (0, 4)
            writer.reordered = 0
        }
        let whole = writer.bytes()
        // The last byte has the number that is last, and is not read.
        for count in 0..<whole.count - 2 { #expect(read(Array(whole[..<count])) == nil, "\(count) bytes") }
        #expect(read(whole) != nil)
    }

    @Test func allSetsCount() {
        let size = FrameSize(width: 1920, height: 1080)
        var good = Writer { $0.crop = (0, 4) }
        var reordered = Writer { writer in
            writer.profile = 77
            writer.crop = (0, 4)
        }
        var larger = Writer()
        let picture: [UInt8] = [0, 0, 0, 1, 0x68, 0xCE, 0x38, 0x80]
        #expect(isShownAtOnce(good.bytes() + picture, size) && isShownAtOnce(good.bytes() + good.bytes(), size))
        #expect(!isShownAtOnce(good.bytes() + reordered.bytes() + picture, size))
        #expect(!isShownAtOnce(larger.bytes() + picture, size) && !isShownAtOnce(picture, size))
        #expect(!isShownAtOnce([], size) && !isShownAtOnce(good.bytes(), FrameSize(width: 1280, height: 720)))
    }

    @Test(.enabled(if: VideoClip.isAvailable(.h264), VideoClip.lack)) func encodersSayWhatTheyDo() throws {
        let size = FrameSize(width: 152, height: 90)
        let plain = try VideoClip(.h264, count: 2, size: size)
        #expect(isShownAtOnce(plain.frames[0], size))
        let other = try VideoClip(.h264, count: 8, isReordered: true, size: size)
        let sequence = read(other.frames[0])
        #expect(sequence?.size == size && sequence?.isInOrder == false)
    }
}
