/* Records, in their order, what a process does to the files of one folder: writes, truncations,
 * creations, removals, renames and syncs. For LD_PRELOAD, on Linux.
 *
 * RECORDED_FOLDER is the folder, RECORDED_AS the file that the record goes to. An entry is a header
 * (see `struct entry`), the path and, for a write, the bytes. One lock is held over each call and
 * its entry, so that a sync covers exactly the writes before it. Shared memory (SQLite's -shm) is
 * written without calls; it is no part of a record, and SQLite makes it anew.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct entry {
    uint32_t kind;   /* c(reate) w(rite) t(runcate) s(ync) d(irectory sync) u(nlink) r(ename) */
    uint32_t named;  /* length of the path; for a rename, of both with a newline between */
    int64_t offset;  /* of a write; the new size for a truncation */
    int64_t length;  /* of the bytes that follow the path */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *folder;
static size_t folder_length;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void put(const void *bytes, size_t length) {
    const char *next = bytes;
    while (length > 0) {
        ssize_t done = REAL(write)(record, next, length);
        if (done <= 0) abort();
        next += done;
        length -= (size_t)done;
    }
}

static void note(char kind, const char *path, int64_t offset, const void *bytes, int64_t length) {
    struct entry entry = {(uint32_t)kind, (uint32_t)strlen(path), offset, length};
    put(&entry, sizeof entry);
    put(path, entry.named);
    if (length > 0) put(bytes, (size_t)length);
}

__attribute__((constructor)) static void begin(void) {
    const char *as = getenv("RECORDED_AS");
    folder = getenv("RECORDED_FOLDER");
    if (as == NULL || folder == NULL) return;
    folder_length = strlen(folder);
    record = REAL(open)(as, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_watched(const char *path) {
    if (record < 0 || strncmp(path, folder, folder_length) != 0) return 0;
    return path[folder_length] == '/' || path[folder_length] == '\0';
}

/* The path of an open file, where it is watched. */
static int watched(int file, char path[PATH_MAX]) {
    char link[64];
    if (record < 0 || file < 0) return 0;
    int was = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = was;
    if (length <= 0) return 0;
    path[length] = '\0';
    return is_watched(path);
}

static int opened(int at, const char *path, int flags, mode_t mode) {
    int is_new = (flags & O_CREAT) && is_watched(path) && access(path, F_OK) != 0;
    int is_cut = (flags & O_TRUNC) && is_watched(path) && !is_new;
    pthread_mutex_lock(&lock);
    int file = REAL(openat)(at, path, flags, mode);
    int was = errno;
    if (file >= 0 && is_new) note('c', path, 0, NULL, 0);
    if (file >= 0 && is_cut) note('t', path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = was;
    return file;
}

#define MODE(flags, mode)               \
    mode_t mode = 0;                    \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list more;                   \
        va_start(more, flags);          \
        mode = va_arg(more, mode_t);    \
        va_end(more);                   \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, mode)
    return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return opened(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
    MODE(flags, mode)
    return opened(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
    MODE(flags, mode)
    return opened(at, path, flags, mode);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    char path[PATH_MAX];
    if (!watched(file, path)) return REAL(pwrite64)(file, bytes, length, offset);
    pthread_mutex_lock(&lock);
    ssize_t done = REAL(pwrite64)(file, bytes, length, offset);
    if (done > 0) note('w', path, offset, bytes, done);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
    char path[PATH_MAX];
    if (!watched(file, path)) return REAL(write)(file, bytes, length);
    pthread_mutex_lock(&lock);
    ssize_t done = REAL(write)(file, bytes, length);
    if (done > 0) note('w', path, lseek(file, 0, SEEK_CUR) - done, bytes, done);
    pthread_mutex_unlock(&lock);
    return done;
}

/* What is written in pieces would be missing from the record without a word. */
ssize_t writev(int file, const struct iovec *pieces, int count) {
    char path[PATH_MAX];
    if (watched(file, path)) abort();
    return REAL(writev)(file, pieces, count);
}

int ftruncate64(int file, off64_t length) {
    char path[PATH_MAX];
    if (!watched(file, path)) return REAL(ftruncate64)(file, length);
    pthread_mutex_lock(&lock);
    int failed = REAL(ftruncate64)(file, length);
    if (!failed) note('t', path, length, NULL, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}

int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

static int synced(int file, int (*sync)(int)) {
    char path[PATH_MAX];
    struct stat found;
    if (!watched(file, path)) return sync(file);
    pthread_mutex_lock(&lock);
    int failed = sync(file);
    int is_folder = fstat(file, &found) == 0 && S_ISDIR(found.st_mode);
    if (!failed) note(is_folder ? 'd' : 's', path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}

int fsync(int file) { return synced(file, REAL(fsync)); }

int fdatasync(int file) { return synced(file, REAL(fdatasync)); }

int unlink(const char *path) {
    if (!is_watched(path)) return REAL(unlink)(path);
    pthread_mutex_lock(&lock);
    int failed = REAL(unlink)(path);
    if (!failed) note('u', path, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}

int rename(const char *from, const char *to) {
    char both[2 * PATH_MAX];
    if (!is_watched(from) && !is_watched(to)) return REAL(rename)(from, to);
    snprintf(both, sizeof both, "%s\n%s", from, to);
    pthread_mutex_lock(&lock);
    int failed = REAL(rename)(from, to);
    if (!failed) note('r', both, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}
