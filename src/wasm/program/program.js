/* What the program needs beside ../library.js (--js-library). */
mergeInto(LibraryManager.library, {
    /* That of emscripten 3.1.6 looks at the path, which a file that is open need not have any more. */
    __syscall_fstat64__deps: ['$SYSCALLS'],
    __syscall_fstat64: function (fd, buf) {
        var stream = SYSCALLS.getStreamFromFD(fd);
        return SYSCALLS.doStat(function () { return fs.fstatSync(stream.nfd); }, stream.path, buf);
    },
});
