// SPDX-License-Identifier: MIT
#ifndef LIVECAP_CV4L2_H
#define LIVECAP_CV4L2_H
#endif
