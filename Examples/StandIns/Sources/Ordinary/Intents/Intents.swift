// SPDX-License-Identifier: MIT
// A module whose name livecap must not have.
