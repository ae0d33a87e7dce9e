// SPDX-License-Identifier: MIT
// Takes a photo whenever it is sent SIGUSR1.

import Shutter

SignalShutter.installHandlers()
