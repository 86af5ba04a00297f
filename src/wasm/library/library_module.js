/* What the library needs of JavaScript (--js-library): whom to tell of progress. */
mergeInto(LibraryManager.library, {
    module_progress__sig: 'viidd',
    module_progress: function (of, what, done, total) {
        if (Module['progress']) {
            Module['progress'](UTF8ToString(what), done, total);
        }
    },
});
