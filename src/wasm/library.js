/*
 * What the module needs of JavaScript (--js-library): its messages, files that grow without being
 * copied, and places in them beyond 2 GiB.
 *
 * Files below /chunks are outside of the memory of the module, in pieces of 4 MiB: a database takes
 * its own size, not twice that whenever it grows, and none of the 4 GiB of the module.
 */
mergeInto(LibraryManager.library, {
    wasm_say__sig: 'vi',
    wasm_say: function (line) {
        err(UTF8ToString(line));
    },

    $CHUNKS__deps: ['$FS', '$MEMFS'],
    $CHUNKS: {
        SIZE: 4 << 20,
        FIRST: 64 << 10, // what the first chunk has at first: most files are small
        dir_ops: null,

        mount: function () {
            return CHUNKS.createNode(null, '/', 16895 /* a directory, 0777 */, 0);
        },

        /* Directories and links are those of MEMFS. */
        createNode: function (parent, name, mode, dev) {
            var node = MEMFS.createNode(parent, name, mode, dev);
            if (FS.isDir(node.mode)) {
                CHUNKS.dir_ops = CHUNKS.dir_ops || Object.assign({}, node.node_ops, { mknod: CHUNKS.createNode });
                node.node_ops = CHUNKS.dir_ops;
            } else if (FS.isFile(node.mode)) {
                node.chunks = [];
                node.usedBytes = 0;
                node.node_ops = CHUNKS.node_ops;
                node.stream_ops = CHUNKS.stream_ops;
            }
            return node;
        },

        /* Makes place for `size` bytes. What was not written is 0. */
        reserve: function (node, size) {
            try {
                if (node.chunks.length > 0 && node.chunks[0].length < Math.min(size, CHUNKS.SIZE)) {
                    var first = node.chunks[0];
                    var more = Math.max(2 * first.length, Math.min(size, CHUNKS.SIZE));
                    node.chunks[0] = new Uint8Array(Math.min(more, CHUNKS.SIZE));
                    node.chunks[0].set(first);
                }
                while (node.chunks.length * CHUNKS.SIZE < size) {
                    var last = size <= CHUNKS.SIZE ? Math.max(size, CHUNKS.FIRST) : CHUNKS.SIZE;
                    node.chunks.push(new Uint8Array(Math.min(last, CHUNKS.SIZE)));
                }
            } catch (e) {
                throw new FS.ErrnoError(51 /* ENOSPC: the browser has no memory left */);
            }
        },

        resize: function (node, size) {
            if (size < node.usedBytes) {
                node.chunks.length = Math.ceil(size / CHUNKS.SIZE);
                if (node.chunks.length > 0) {
                    var last = node.chunks[node.chunks.length - 1];
                    last.fill(0, size - (node.chunks.length - 1) * CHUNKS.SIZE);
                }
            } else {
                CHUNKS.reserve(node, size);
            }
            node.usedBytes = size;
        },

        /* Calls take(chunk, at, n, done) for each part of the bytes from position on. */
        parts: function (node, position, length, take) {
            for (var done = 0; done < length;) {
                var at = (position + done) % CHUNKS.SIZE;
                var n = Math.min(length - done, CHUNKS.SIZE - at);
                take(node.chunks[Math.floor((position + done) / CHUNKS.SIZE)], at, n, done);
                done += n;
            }
        },

        node_ops: {
            getattr: function (node) {
                return MEMFS.node_ops.getattr(node);
            },
            setattr: function (node, attr) {
                if (attr.mode !== undefined) {
                    node.mode = attr.mode;
                }
                if (attr.timestamp !== undefined) {
                    node.timestamp = attr.timestamp;
                }
                if (attr.size !== undefined) {
                    CHUNKS.resize(node, attr.size);
                }
            },
        },

        stream_ops: {
            llseek: function (stream, offset, whence) {
                return MEMFS.stream_ops.llseek(stream, offset, whence);
            },
            read: function (stream, buffer, offset, length, position) {
                var n = Math.max(0, Math.min(length, stream.node.usedBytes - position));
                var to = buffer === HEAP8 ? HEAPU8 : buffer;
                CHUNKS.parts(stream.node, position, n, function (chunk, at, n, done) {
                    to.set(chunk.subarray(at, at + n), offset + done);
                });
                return n;
            },
            write: function (stream, buffer, offset, length, position) {
                var node = stream.node;
                var from = buffer === HEAP8 ? HEAPU8 : buffer;
                CHUNKS.reserve(node, position + length);
                CHUNKS.parts(node, position, length, function (chunk, at, n, done) {
                    chunk.set(from.subarray(offset + done, offset + done + n), at);
                });
                node.usedBytes = Math.max(node.usedBytes, position + length);
                node.timestamp = Date.now();
                return length;
            },
            allocate: function (stream, offset, length) {
                CHUNKS.resize(stream.node, Math.max(stream.node.usedBytes, offset + length));
            },
        },
    },

    /* Those of emscripten 3.1.6 take the lower half of the offset, as a signed number. */
    $wasm_at__deps: ['$SYSCALLS', '$FS', '$CHUNKS'],
    $wasm_at: function (low, high, call) {
        try {
            return call(high * 4294967296 + (low >>> 0));
        } catch (e) {
            if (!(e instanceof FS.ErrnoError)) {
                throw e;
            }
            return e.errno;
        }
    },
    fd_pread__deps: ['$wasm_at'],
    fd_pread: function (fd, iov, iovcnt, low, high, pnum) {
        return wasm_at(low, high, function (at) {
            HEAP32[pnum >>> 2] = SYSCALLS.doReadv(SYSCALLS.getStreamFromFD(fd), iov, iovcnt, at);
            return 0;
        });
    },
    fd_pwrite__deps: ['$wasm_at'],
    fd_pwrite: function (fd, iov, iovcnt, low, high, pnum) {
        return wasm_at(low, high, function (at) {
            HEAP32[pnum >>> 2] = SYSCALLS.doWritev(SYSCALLS.getStreamFromFD(fd), iov, iovcnt, at);
            return 0;
        });
    },
    __syscall_ftruncate64__deps: ['$wasm_at'],
    __syscall_ftruncate64: function (fd, low, high) {
        return -wasm_at(low, high, function (at) {
            FS.ftruncate(fd, at);
            return 0;
        });
    },
});
