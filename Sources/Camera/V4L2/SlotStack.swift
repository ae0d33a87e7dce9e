// SPDX-License-Identifier: MIT
// The few slots or buffers that a driver refused, kept until it accepts them.

/// A stack of at most 32 numbers, stored inline.
struct SlotStack {
    private var numbers: InlineArray<32, Int> = .init(repeating: 0)
    private(set) var count = 0

    mutating func push(_ number: Int) {
        numbers[count] = number
        count += 1
    }

    mutating func pop() -> Int? {
        guard count > 0 else { return nil }
        count -= 1
        return numbers[count]
    }
}
