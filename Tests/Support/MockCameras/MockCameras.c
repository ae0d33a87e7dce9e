// SPDX-License-Identifier: MIT
// Cameras that exist only for programs started with umockdev: sysfs, nodes, answers to ioctls, and udev's reports.
// Tests compile it and talk to it, one command a line; each is answered by a line.

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <umockdev.h>
#include <unistd.h>

enum { MAX_CAMERAS = 64, MAX_WORD = 64 };

/// What the camera at each node answers.
static struct {
    char name[MAX_WORD], format[MAX_WORD];
    char usb[256], interface[256], node[256];
} cameras[MAX_CAMERAS];

static UMockdevTestbed *testbed;

static void answer(UMockdevIoctlClient *client, const void *bytes, size_t count) {
    UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
    UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, count, NULL);
    umockdev_ioctl_data_update(data, 0, (guint8 *)bytes, (gint)count);
    umockdev_ioctl_data_unref(data);
    umockdev_ioctl_client_complete(client, 0, 0);
}

/// The index in an enumeration that the program asks about.
static unsigned asked(UMockdevIoctlClient *client, size_t count) {
    UMockdevIoctlData *data = umockdev_ioctl_data_resolve(umockdev_ioctl_client_get_arg(client), 0, count, NULL);
    guint8 *bytes = NULL;
    gint length = 0;
    umockdev_ioctl_data_retrieve(data, &bytes, &length);
    unsigned index;
    memcpy(&index, bytes, sizeof index);
    umockdev_ioctl_data_unref(data);
    return index;
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer number) {
    (void)base;
    size_t index = GPOINTER_TO_SIZE(number);
    switch ((unsigned)umockdev_ioctl_client_get_request(client)) {
    case (unsigned)VIDIOC_QUERYCAP: {
        struct v4l2_capability capability = {.driver = "uvcvideo"};
        capability.capabilities = V4L2_CAP_DEVICE_CAPS;
        capability.device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        strncpy((char *)capability.card, cameras[index].name, sizeof capability.card - 1);
        strncpy((char *)capability.bus_info, "usb-mock", sizeof capability.bus_info - 1);
        answer(client, &capability, sizeof capability);
        return TRUE;
    }
    case (unsigned)VIDIOC_ENUM_FMT: {
        if (asked(client, sizeof(struct v4l2_fmtdesc)) > 0) break;
        struct v4l2_fmtdesc format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
        memcpy(&format.pixelformat, cameras[index].format, 4);
        answer(client, &format, sizeof format);
        return TRUE;
    }
    case (unsigned)VIDIOC_ENUM_FRAMESIZES: {
        if (asked(client, sizeof(struct v4l2_frmsizeenum)) > 0) break;
        struct v4l2_frmsizeenum size = {.type = V4L2_FRMSIZE_TYPE_DISCRETE, .discrete = {1280, 720}};
        answer(client, &size, sizeof size);
        return TRUE;
    }
    }
    umockdev_ioctl_client_complete(client, -1, EINVAL);
    return TRUE;
}

/// The node's file below the testbed.
static void node_file(unsigned number, char *path, size_t count) {
    char *root = umockdev_testbed_get_root_dir(testbed);
    snprintf(path, count, "%s/dev/video%u", root, number);
    g_free(root);
}

/// Makes a camera: its USB device at a port, the interface and the node. It is not reported yet.
static const char *plug(unsigned number, const char *port, const char *serial, const char *format, const char *name) {
    static const char controller[] = "/devices/pci0000:00/0000:00:14.0/usb1";
    char text[2048], node[64], serial_line[MAX_WORD + 16] = "";
    // Fields of the structure, so that `unplug` finds them.
    char *usb = cameras[number].usb, *interface = cameras[number].interface, *path = cameras[number].node;
    snprintf(usb, 256, "/sys%s/1-%s", controller, port);
    snprintf(interface, 256, "/sys%s/1-%s/1-%s:1.0", controller, port, port);
    snprintf(path, 256, "/sys%s/1-%s/1-%s:1.0/video4linux/video%u", controller, port, port, number);
    snprintf(cameras[number].name, MAX_WORD, "%s", name);
    snprintf(cameras[number].format, MAX_WORD, "%-4s", format);
    if (strcmp(serial, "-") != 0) snprintf(serial_line, sizeof serial_line, "A: serial=%s\\n\n", serial);
    snprintf(text, sizeof text,
             "P: %s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nA: idVendor=046d\\n\nA: idProduct=0825\\n\n"
             "A: removable=removable\\n\n%s\n"
             "P: %s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_interface\nA: bInterfaceNumber=00\\n\n\n"
             "P: %s\nN: video%u\nE: SUBSYSTEM=video4linux\nE: DEVNAME=/dev/video%u\nA: index=0\\n\nA: name=%s\\n\n"
             "L: device=../../../1-%s:1.0\n",
             usb + 4, serial_line, interface + 4, path + 4, number, number, name, port);
    GError *error = NULL;
    UMockdevIoctlBase *handler = umockdev_ioctl_base_new();
    g_signal_connect(handler, "handle-ioctl", G_CALLBACK(on_ioctl), GSIZE_TO_POINTER((size_t)number));
    snprintf(node, sizeof node, "/dev/video%u", number);
    // Before the node exists: umockdev ends a program that opens a node whose answers are only about to be served.
    if (!umockdev_testbed_attach_ioctl(testbed, node, handler, &error)) return error->message;
    if (!umockdev_testbed_add_from_string(testbed, text, &error)) return error->message;
    return "ok";
}

/// Takes a camera away: the node first, as the kernel does, and then the rest. It is not reported.
static const char *unplug(unsigned number) {
    char node[64], file[512];
    node_file(number, file, sizeof file);
    unlink(file);
    snprintf(node, sizeof node, "/dev/video%u", number);
    umockdev_testbed_detach_ioctl(testbed, node, NULL);
    umockdev_testbed_remove_device(testbed, cameras[number].node);
    umockdev_testbed_remove_device(testbed, cameras[number].interface);
    umockdev_testbed_remove_device(testbed, cameras[number].usb);
    return "ok";
}

int main(void) {
    testbed = umockdev_testbed_new();
    char *root = umockdev_testbed_get_root_dir(testbed);
    printf("%s\n", root);
    fflush(stdout);
    char line[512], verb[MAX_WORD], a[MAX_WORD], b[MAX_WORD], c[MAX_WORD], rest[MAX_WORD];
    while (fgets(line, sizeof line, stdin)) {
        unsigned number = 0;
        const char *reply = "no such command";
        int words = sscanf(line, "%63s %u %63s %63s %63s %63[^\n]", verb, &number, a, b, c, rest);
        if (words < 2 || number >= MAX_CAMERAS) {
            reply = "no such camera";
        } else if (words == 6 && strcmp(verb, "plug") == 0) {
            reply = plug(number, a, b, c, rest);
        } else if (strcmp(verb, "unplug") == 0) {
            reply = unplug(number);
        } else if (strcmp(verb, "rename") == 0 && words >= 3) {
            snprintf(cameras[number].name, MAX_WORD, "%s", a);
            reply = "ok";
        } else if (strcmp(verb, "report") == 0 && words >= 3) {
            umockdev_testbed_uevent(testbed, cameras[number].node, a);
            reply = "ok";
        }
        printf("%s\n", reply);
        fflush(stdout);
    }
    g_object_unref(testbed);
    return 0;
}
