// SPDX-License-Identifier: MIT
// Uses both C modules.

internal import CSQLite
internal import CSystem

/// How many of the C modules are linked.
public func standIns() -> Int { Int(csystem_stand_in() + csqlite_stand_in()) }
