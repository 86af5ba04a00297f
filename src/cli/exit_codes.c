#include "cli/exit_codes.h"

#include <signal.h>

const ts_exit_about ts_exit_list[] = {
    {"0", "done, also when damage was recorded"},
    {"1", "an input could not be opened, or none could be imported"},
    {"2", "wrong usage, an output that is also an input or another output, or a question "
          "that the database cannot answer"},
    {"3", "--strict was given, and data was lost"},
    {"4", "the output could not be written, another program is writing the existing database, "
          "or a server refused rows"},
    {"5", "no input has a format that can be read"},
    {"6", "a limit was reached"},
    {"7", "out of memory"},
    {"8", "the address of serve is not available"},
    {"9", "a condition of diff --fail-if holds"},
    {"70", "a defect of this program; please report it"},
    {"129, 130, 143", "interrupted by SIGHUP, SIGINT, SIGTERM"},
};

const size_t ts_exit_count = sizeof ts_exit_list / sizeof ts_exit_list[0];

int ts_exit_code(const ts_ctx *ctx, ts_code code)
{
    static const int codes[TS_CODE_COUNT] = {
        [TS_OK] = TS_EXIT_DONE,           [TS_ERR_INPUT] = TS_EXIT_INPUT,
        [TS_ERR_USAGE] = TS_EXIT_USAGE,   [TS_ERR_OUTPUT] = TS_EXIT_OUTPUT,
        [TS_ERR_FORMAT] = TS_EXIT_FORMAT, [TS_ERR_LIMIT] = TS_EXIT_LIMIT,
        [TS_ERR_NOMEM] = TS_EXIT_MEMORY,  [TS_ERR_INTERNAL] = TS_EXIT_DEFECT,
    };
    if (code == TS_ERR_INTERRUPTED) {
        bool noted = ctx->cancel != NULL && *ctx->cancel != 0;
        return TS_EXIT_SIGNAL + (noted ? (int)*ctx->cancel : SIGINT);
    }
    return codes[code];
}
