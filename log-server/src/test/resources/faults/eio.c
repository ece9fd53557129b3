/*
 * Makes reads, writes or syncs of files in a folder fail with EIO, for a process that is started
 * with LD_PRELOAD. FAULT_DIR names the folder, FAULT_CONTROL a file that says what fails now:
 * "read", "write" or "sync" and how many of a thousand calls. Without that file nothing fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_within(int fd) {
  char link[64], path[4096];
  const char *dir = getenv("FAULT_DIR");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (dir == NULL || length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, dir, strlen(dir)) == 0;
}

static int fails(int fd, const char *kind) {
  const char *control = getenv("FAULT_CONTROL");
  char text[64];
  if (control == NULL) return 0;
  long file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY);
  if (file < 0) return 0;
  long length = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  if (length <= 0) return 0;
  text[length] = 0;
  size_t kind_length = strlen(kind);
  if (strncmp(text, kind, kind_length) != 0 || text[kind_length] != ' ') return 0;
  if (!is_within(fd) || rand() % 1000 >= atoi(text + kind_length + 1)) return 0;
  errno = EIO;
  return 1;
}

#define SHIM(type, name, kind, parameters, arguments)             \
  type name parameters {                                          \
    static type(*real) parameters;                                \
    if (real == NULL) real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    return fails(fd, kind) ? -1 : real arguments;                 \
  }

SHIM(ssize_t, read, "read", (int fd, void *to, size_t size), (fd, to, size))
SHIM(ssize_t, pread, "read", (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
SHIM(ssize_t, pread64, "read", (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
SHIM(ssize_t, write, "write", (int fd, const void *from, size_t size), (fd, from, size))
SHIM(ssize_t, pwrite, "write", (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
SHIM(ssize_t, pwrite64, "write", (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
SHIM(ssize_t, writev, "write", (int fd, const struct iovec *from, int count), (fd, from, count))
SHIM(int, fsync, "sync", (int fd), (fd))
SHIM(int, fdatasync, "sync", (int fd), (fd))
