// SPDX-License-Identifier: MIT
// Calls iio-sensor-proxy by sd-bus. libsystemd is loaded when it is first needed: most machines have no such sensor.
#include "CSensorBus.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The part of <systemd/sd-bus.h> that is used here. Its binary interface is stable.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
    const char *name, *message;
    int needs_free;
} sd_bus_error;
typedef int handler(sd_bus_message *, void *, sd_bus_error *);

struct functions {
    int (*new)(sd_bus **);
    int (*open_system)(sd_bus **);
    int (*set_address)(sd_bus *, const char *);
    int (*set_bus_client)(sd_bus *, int);
    int (*start)(sd_bus *);
    int (*set_method_call_timeout)(sd_bus *, uint64_t);
    int (*add_match)(sd_bus *, sd_bus_slot **, const char *, handler *, void *);
    int (*call_method)(
        sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *, sd_bus_message **,
        const char *, ...);
    int (*get_property_string)(
        sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *, char **);
    int (*process)(sd_bus *, sd_bus_message **);
    int (*get_fd)(sd_bus *);
    void (*error_free)(sd_bus_error *);
    sd_bus *(*flush_close_unref)(sd_bus *);
};

static const char *const names[] = {
    "new",     "open_system", "set_address",         "set_bus_client",
    "start",   "set_method_call_timeout", "add_match", "call_method",
    "get_property_string", "process", "get_fd", "error_free", "flush_close_unref",
};

_Static_assert(
    sizeof names / sizeof *names == sizeof(struct functions) / sizeof(void *), "each function has its name");

struct lc_sensor {
    struct functions call;
    sd_bus *bus;
    int has_changed;
};

#define SENSOR "net.hadess.SensorProxy"
#define PATH "/net/hadess/SensorProxy"

static int note_change(sd_bus_message *message, void *sensor, sd_bus_error *error) {
    (void)message, (void)error;
    ((struct lc_sensor *)sensor)->has_changed = 1;
    return 0;
}

static int load(struct functions *functions, char *why, size_t room) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *message = dlerror();
        snprintf(why, room, "%s", message ? message : "libsystemd cannot be loaded");
        return -1;
    }
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        char name[64];
        snprintf(name, sizeof name, "sd_bus_%s", names[at]);
        void *function = dlsym(library, name);
        if (!function) {
            snprintf(why, room, "libsystemd has no %s", name);
            return -1;
        }
        memcpy((char *)functions + at * sizeof function, &function, sizeof function);
    }
    return 0;
}

static int connect_to(struct lc_sensor *sensor, const char *address) {
    struct functions *call = &sensor->call;
    if (!address) return call->open_system(&sensor->bus);
    int result = call->new(&sensor->bus);
    if (result >= 0) result = call->set_address(sensor->bus, address);
    if (result >= 0) result = call->set_bus_client(sensor->bus, 1);
    return result < 0 ? result : call->start(sensor->bus);
}

/// Has the bus report each change of the sensor, and of the service that reports it.
static int watch(struct lc_sensor *sensor) {
    static const char changed[] =
        "type='signal',path='" PATH "',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'";
    static const char served[] =
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" SENSOR "'";
    sensor->call.set_method_call_timeout(sensor->bus, 3000000);
    int result = sensor->call.add_match(sensor->bus, NULL, changed, note_change, sensor);
    return result < 0 ? result : sensor->call.add_match(sensor->bus, NULL, served, note_change, sensor);
}

struct lc_sensor *lc_sensor_open(const char *address, char *why, size_t room) {
    struct lc_sensor *sensor = calloc(1, sizeof *sensor);
    if (!sensor) {
        snprintf(why, room, "no memory");
        return NULL;
    }
    if (load(&sensor->call, why, room) < 0) {
        free(sensor);
        return NULL;
    }
    int result = connect_to(sensor, address);
    if (result >= 0) result = watch(sensor);
    if (result >= 0) return sensor;
    snprintf(why, room, "no connection to D-Bus: %s", strerror(-result));
    lc_sensor_close(sensor);
    return NULL;
}

int lc_sensor_descriptor(struct lc_sensor *sensor) { return sensor->call.get_fd(sensor->bus); }

int lc_sensor_read(struct lc_sensor *sensor, char *orientation, size_t length, char *why, size_t room) {
    struct functions *call = &sensor->call;
    sd_bus_error error = {0};
    char *text = NULL;
    // Before it is read, so that no change in between is missed.
    sensor->has_changed = 0;
    // A service that does not run yet is started by this.
    int result = call->call_method(sensor->bus, SENSOR, PATH, SENSOR, "ClaimAccelerometer", &error, NULL, "");
    if (result >= 0) {
        result = call->get_property_string(
            sensor->bus, SENSOR, PATH, SENSOR, "AccelerometerOrientation", &error, &text);
    }
    if (result >= 0) {
        snprintf(orientation, length, "%s", text);
    } else {
        snprintf(why, room, "no accelerometer: %s", error.message ? error.message : strerror(-result));
    }
    call->error_free(&error);
    free(text);
    return result < 0 ? -1 : 0;
}

int lc_sensor_process(struct lc_sensor *sensor) {
    int result;
    do result = sensor->call.process(sensor->bus, NULL);
    while (result > 0);
    if (result < 0) return -1;
    int has_changed = sensor->has_changed;
    sensor->has_changed = 0;
    return has_changed;
}

void lc_sensor_close(struct lc_sensor *sensor) {
    // The service notices that its client has left.
    if (sensor->bus) sensor->call.flush_close_unref(sensor->bus);
    free(sensor);
}
