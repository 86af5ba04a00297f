/* In the module's function, before its own code (--pre-js): /chunks is for files that grow. */
Module['preRun'] = [].concat(Module['preRun'] || [], function () {
    FS.mkdir('/chunks');
    FS.mount(CHUNKS, {}, '/chunks');
});
