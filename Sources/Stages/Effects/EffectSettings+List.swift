// SPDX-License-Identifier: MIT
// Effects as text, to be kept with a photo.

extension EffectSettings {
    /// The effects as a list that `init(list:)` takes, such as `portrait=0.6,light=0.6`; `none` without any.
    public var list: String {
        var items = [("portrait", portrait), ("light", light), ("framing", framing)].filter { $0.1 > 0 }
            .map { "\($0)=\($1)" }
        if case .colour(let red, let green, let blue)? = background {
            let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            items.append("background=#" + digits.joined())
        }
        return items.isEmpty ? "none" : items.joined(separator: ",")
    }
}
