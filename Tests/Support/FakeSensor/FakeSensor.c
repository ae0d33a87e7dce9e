// SPDX-License-Identifier: MIT
// iio-sensor-proxy as far as livecap knows it, on the bus at the address given. Each line of standard input is the
// accelerometer's new orientation; "none" takes the accelerometer away. Compiled by the tests.
#include <poll.h>
#include <stdio.h>
#include <string.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef int handler(sd_bus_message *, void *, void *);

int sd_bus_new(sd_bus **);
int sd_bus_set_address(sd_bus *, const char *);
int sd_bus_set_bus_client(sd_bus *, int);
int sd_bus_start(sd_bus *);
int sd_bus_request_name(sd_bus *, const char *, unsigned long long);
int sd_bus_add_object(sd_bus *, sd_bus_slot **, const char *, handler *, void *);
int sd_bus_process(sd_bus *, sd_bus_message **);
int sd_bus_get_fd(sd_bus *);
int sd_bus_flush(sd_bus *);
const char *sd_bus_message_get_member(sd_bus_message *);
int sd_bus_reply_method_return(sd_bus_message *, const char *, ...);
int sd_bus_reply_method_errorf(sd_bus_message *, const char *, const char *, ...);
int sd_bus_emit_signal(sd_bus *, const char *, const char *, const char *, const char *, ...);

static char orientation[32] = "normal";

static int answer(sd_bus_message *message, void *data, void *error) {
    (void)data, (void)error;
    const char *member = sd_bus_message_get_member(message);
    if (!strcmp(orientation, "none"))
        return sd_bus_reply_method_errorf(message, "org.freedesktop.DBus.Error.NotSupported", "Driver not present");
    if (!strcmp(member, "Get")) return sd_bus_reply_method_return(message, "v", "s", orientation);
    return sd_bus_reply_method_return(message, "");
}

int main(int count, char **arguments) {
    sd_bus *bus = NULL;
    if (count != 2 || sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, arguments[1]) < 0
        || sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0
        || sd_bus_add_object(bus, NULL, "/net/hadess/SensorProxy", answer, NULL) < 0
        || sd_bus_request_name(bus, "net.hadess.SensorProxy", 0) < 0)
        return 1;
    // Lines that come together must not wait in a buffer that poll does not see.
    setvbuf(stdin, NULL, _IONBF, 0);
    puts("ready");
    fflush(stdout);
    while (1) {
        while (sd_bus_process(bus, NULL) > 0) {}
        struct pollfd polled[] = {{.fd = 0, .events = POLLIN}, {.fd = sd_bus_get_fd(bus), .events = POLLIN}};
        if (poll(polled, 2, -1) < 0) return 1;
        if (!polled[0].revents) continue;
        if (!fgets(orientation, sizeof orientation, stdin)) return 0;
        orientation[strcspn(orientation, "\n")] = 0;
        sd_bus_emit_signal(
            bus, "/net/hadess/SensorProxy", "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            "net.hadess.SensorProxy", 1, "AccelerometerOrientation", "s", orientation, 0);
        sd_bus_flush(bus);
    }
}
