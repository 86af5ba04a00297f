/* What the program needs beside ../library.js (--js-library). */
mergeInto(LibraryManager.library, {
    /* That of emscripten 3.1.6 looks at the path, which a file that is open need not have any more. */
    __syscall_fstat64__deps: ['$SYSCALLS'],
    __syscall_fstat64: function (fd, buf) {
        var stream = SYSCALLS.getStreamFromFD(fd);
        return SYSCALLS.doStat(function () { return fs.fstatSync(stream.nfd); }, stream.path, buf);
    },
    /* That of emscripten makes no links. */
    __syscall_linkat__deps: ['$SYSCALLS', '$ERRNO_CODES'],
    __syscall_linkat: function (dir, path, newDir, newPath, flags) {
        try {
            fs.linkSync(SYSCALLS.calculateAt(dir, SYSCALLS.getStr(path)), SYSCALLS.calculateAt(newDir, SYSCALLS.getStr(newPath)));
            return 0;
        } catch (e) {
            return -(ERRNO_CODES[e.code] || e.errno || 29 /* EIO */);
        }
    },
});
