/* In the module's function, before its own code (--pre-js). */
Module['preRun'] = [].concat(Module['preRun'] || [], function () {
    FS.mkdir('/chunks');
    FS.mount(CHUNKS, {}, '/chunks');
    /* Pointers are numbers without a sign to the functions of the caller, above 2 GiB as well. */
    var add = Module['addFunction'];
    Module['addFunction'] = function (f, signature) {
        return add(function () {
            return f.apply(null, Array.prototype.map.call(arguments, function (v) { return v >>> 0; }));
        }, signature);
    };
});
