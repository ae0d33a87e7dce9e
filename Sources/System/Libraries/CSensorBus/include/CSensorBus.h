// SPDX-License-Identifier: MIT
// The accelerometer of a tablet or laptop, as iio-sensor-proxy reports it over D-Bus. libsystemd is loaded on demand.
#ifndef LIVECAP_CSENSORBUS_H
#define LIVECAP_CSENSORBUS_H

#include <stddef.h>

/// A connection to the bus.
struct lc_sensor;

/// Loads libsystemd and connects to the bus at `address`, or to the system's if it is null. Null on failure; `why` then
/// says why, in words.
struct lc_sensor *lc_sensor_open(const char *address, char *why, size_t room);

/// The descriptor to poll for reading.
int lc_sensor_descriptor(struct lc_sensor *sensor);

/// Asks for the accelerometer, and writes its orientation, such as "normal" or "left-up". Returns 0, or -1 if there is
/// none; `why` then says why. Waits for at most a few seconds.
int lc_sensor_read(struct lc_sensor *sensor, char *orientation, size_t length, char *why, size_t room);

/// Takes what has come. Returns 1 if the orientation may be another one, 0 if not, and -1 if the connection is lost.
int lc_sensor_process(struct lc_sensor *sensor);

/// Releases the accelerometer and the connection.
void lc_sensor_close(struct lc_sensor *sensor);

#endif
