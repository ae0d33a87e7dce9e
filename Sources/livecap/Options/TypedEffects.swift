// SPDX-License-Identifier: MIT
// Effects as somebody types them in a folder.

import Glibc
import LivecapEffects

extension EffectSettings {
    /// The effects of a list, whose background is a path as seen from this process's folder. Whoever draws them, or
    /// keeps them, may be elsewhere. Nil if it is no list.
    init?(typed list: String) {
        guard let settings = EffectSettings(list: list) else { return nil }
        guard settings.needFile, let folder = getcwd(nil, 0) else {
            self = settings
            return
        }
        defer { free(folder) }
        self = settings.seen(from: String(cString: folder))
    }
}
