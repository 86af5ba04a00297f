/*
 * Prints what is made from the option table: `option_table list` (one line an option, for the
 * tests), `option_table bash|zsh|fish` (the files of share/completion, which a test compares).
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

static const char levels[] = "DEBUG INFO WARN ERROR FATAL OFF";
static const char generated[] = "made from the option table: see CONTRIBUTING.md, options";

static const char *class_name(ts_option_class cls)
{
    static const char *const names[] = {"active", "no-effect", "refused"};
    return names[cls];
}

static const char *arg_name(ts_option_arg arg)
{
    static const char *const names[] = {"none", "value", "optional"};
    return names[arg];
}

static void print_list(void)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        printf("%s %s %s %s %s\n", o->short_name == NULL ? "." : o->short_name,
               o->long_name == NULL ? "." : o->long_name, arg_name(o->arg),
               o->value == NULL ? "." : o->value, class_name(o->cls));
    }
}

/* --- bash ---------------------------------------------------------------------------------- */

static void print_bash_cases(void)
{
    static const char *const answers[] = {
        [TS_VALUES_NONE] = NULL,
        [TS_VALUES_FILE] = "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
        [TS_VALUES_DIRECTORY] = "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")",
        [TS_VALUES_LEVEL] = "mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")",
        [TS_VALUES_FORMAT] = "mapfile -t COMPREPLY < <(compgen -W \"list $(\"$1\" --format=list "
                             "2>/dev/null | cut -d' ' -f1)\" -- \"$cur\")",
        [TS_VALUES_TABLE] = "mapfile -t COMPREPLY < <(compgen -W \"$(\"$1\" --tables 2>/dev/null | "
                            "cut -d' ' -f1)\" -- \"$cur\")",
        [TS_VALUES_ANALYSIS] = "mapfile -t COMPREPLY < <(compgen -W \"none default list $(\"$1\" "
                               "--analyze=list 2>/dev/null | cut -d' ' -f1)\" -- \"$cur\")",
        [TS_VALUES_EXPORT] = "mapfile -t COMPREPLY < <(compgen -W \"list $(\"$1\" --to=list "
                             "2>/dev/null | cut -d' ' -f1)\" -- \"$cur\")",
        [TS_VALUES_DIFF] = "mapfile -t COMPREPLY < <(compgen -W \"$(\"$1\" diff --by=list "
                           "2>/dev/null | cut -d' ' -f1)\" -- \"$cur\")",
        [TS_VALUES_OUTPUT] =
            "mapfile -t COMPREPLY < <(compgen -W 'table csv tsv json jsonl' -- \"$cur\")",
        [TS_VALUES_REPORT] = "mapfile -t COMPREPLY < <(compgen -W 'text json' -- \"$cur\")",
        [TS_VALUES_QUESTION] =
            "mapfile -t COMPREPLY < <(compgen -W \"$(\"$1\" --questions 2>/dev/null | grep -oE "
            "'^  [a-z0-9_]+')\" -- \"$cur\")",
        [TS_VALUES_QUESTION_FILE] =
            "mapfile -t COMPREPLY < <(compgen -W \"$(\"$1\" --questions 2>/dev/null | grep -oE "
            "'^  [a-z0-9_]+')\" -- \"$cur\"; compgen -f -- \"$cur\")",
    };
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls == TS_OPTION_REFUSED || o->arg == TS_ARG_NONE) {
            continue;
        }
        printf("    %s%s%s)\n", o->short_name == NULL ? "" : o->short_name,
               o->short_name == NULL || o->long_name == NULL ? "" : " | ",
               o->long_name == NULL ? "" : o->long_name);
        printf("        ");
        if (answers[o->values] == NULL) {
            printf("COMPREPLY=()");
        } else if (o->values == TS_VALUES_LEVEL) {
            printf("mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")", levels);
        } else {
            printf("%s", answers[o->values]);
        }
        printf("\n        return\n        ;;\n");
    }
}

static void print_bash(void)
{
    printf("# bash completion for trace_streamer; %s\n"
           "# shellcheck shell=bash\n"
           "_trace_streamer() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
           "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    COMPREPLY=()\n"
           "    # \"--name=value\" arrives as three words.\n"
           "    if [[ $cur == = ]]; then\n"
           "        cur=\n"
           "    elif [[ $prev == = ]] && ((COMP_CWORD >= 2)); then\n"
           "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    elif [[ $prev == --json || $prev == --tables || $prev == --questions || $prev == "
           "--report ]]; then\n"
           "        prev= # their values need the equals sign\n"
           "    fi\n"
           "    case $prev in\n",
           generated);
    print_bash_cases();
    printf("    esac\n"
           "    if [[ $cur == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '");
    const char *space = "";
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls != TS_OPTION_REFUSED) {
            const char *name = o->long_name == NULL ? o->short_name : o->long_name;
            if (strcmp(name, "--s") == 0) {
                name = o->short_name;
            }
            printf("%s%s", space, name);
            space = " ";
        }
    }
    printf("' -- \"$cur\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
           "        if ((COMP_CWORD == 1)); then\n"
           "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'diff serve "
           "upgrade' -- "
           "\"$cur\")\n"
           "        fi\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _trace_streamer trace_streamer\n");
}

/* --- zsh ----------------------------------------------------------------------------------- */

/* Brackets, colons and quotes mean something to _arguments. */
static void print_zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("[]:\\", *text) != NULL) {
            putchar('\\');
        }
        if (*text == '\'') {
            fputs("'\\'", stdout);
        }
        putchar(*text);
    }
}

static void print_zsh_spec(const ts_option *o, const char *name)
{
    static const char *const actions[] = {
        [TS_VALUES_NONE] = " ",
        [TS_VALUES_FILE] = "_files",
        [TS_VALUES_DIRECTORY] = "_files -/",
        [TS_VALUES_LEVEL] = "(DEBUG INFO WARN ERROR FATAL OFF)",
        [TS_VALUES_FORMAT] = "($(trace_streamer --format=list 2>/dev/null | cut -d\" \" -f1) list)",
        [TS_VALUES_TABLE] = "($(trace_streamer --tables 2>/dev/null | cut -d\" \" -f1))",
        [TS_VALUES_ANALYSIS] = ("($(trace_streamer --analyze=list 2>/dev/null | cut -d\" \" -f1) "
                                "none default list)"),
        [TS_VALUES_EXPORT] = "($(trace_streamer --to=list 2>/dev/null | cut -d\" \" -f1) list)",
        [TS_VALUES_DIFF] = "($(trace_streamer diff --by=list 2>/dev/null | cut -d\" \" -f1))",
        [TS_VALUES_REPORT] = "(text json)",
        [TS_VALUES_OUTPUT] = "(table csv tsv json jsonl)",
        [TS_VALUES_QUESTION] =
            "($(trace_streamer --questions 2>/dev/null | grep -oE \"^  [a-z0-9_]+\"))",
        [TS_VALUES_QUESTION_FILE] = ("{compadd -- $(trace_streamer --questions 2>/dev/null | grep "
                                     "-oE \"^  [a-z0-9_]+\"); _files}"),
    };
    bool repeated = o->id == TS_OPT_PARAM || o->id == TS_OPT_TEXTS;
    printf("    '%s%s%s[", repeated ? "*" : "", name,
           o->arg == TS_ARG_OPTIONAL                               ? "=-"
           : o->arg == TS_ARG_VALUE && strncmp(name, "--", 2) == 0 ? "="
                                                                   : "");
    print_zsh_text(o->help);
    printf("]");
    if (o->arg != TS_ARG_NONE) {
        printf("%s%s:%s", o->arg == TS_ARG_OPTIONAL ? "::" : ":", o->value, actions[o->values]);
    }
    printf("' \\\n");
}

static void print_zsh(void)
{
    printf("#compdef trace_streamer\n# %s\n_arguments -S \\\n", generated);
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls == TS_OPTION_REFUSED) {
            continue;
        }
        if (o->short_name != NULL) {
            print_zsh_spec(o, o->short_name);
        }
        if (o->long_name != NULL) {
            print_zsh_spec(o, o->long_name);
        }
    }
    printf("    '1:input or verb:{_files; compadd diff serve upgrade}' \\\n"
           "    '*:input:_files'\n");
}

/* --- fish ---------------------------------------------------------------------------------- */

static void print_fish_name(const char *name)
{
    if (strncmp(name, "--", 2) == 0) {
        printf(" -l %s", name + 2);
    } else {
        printf(name[2] == '\0' ? " -s %s" : " -o %s", name + 1);
    }
}

static void print_fish_value(const ts_option *o)
{
    static const char *const arguments[] = {
        [TS_VALUES_NONE] = " -x",
        [TS_VALUES_FILE] = " -r -F",
        [TS_VALUES_DIRECTORY] = " -x -a '(__fish_complete_directories)'",
        [TS_VALUES_LEVEL] = " -x -a 'DEBUG INFO WARN ERROR FATAL OFF'",
        [TS_VALUES_FORMAT] =
            " -x -a \"(trace_streamer --format=list 2>/dev/null | string split -f1 ' ') list\"",
        [TS_VALUES_TABLE] = " -a \"(trace_streamer --tables 2>/dev/null | string split -f1 ' ')\"",
        [TS_VALUES_ANALYSIS] =
            (" -x -a \"(trace_streamer --analyze=list 2>/dev/null | string split "
             "-f1 ' ') none default list\""),
        [TS_VALUES_EXPORT] =
            " -x -a \"(trace_streamer --to=list 2>/dev/null | string split -f1 ' ') list\"",
        [TS_VALUES_DIFF] = (" -x -a \"(trace_streamer diff --by=list 2>/dev/null | string split "
                            "-f1 ' ')\""),
        [TS_VALUES_REPORT] = " -a 'text json'",
        [TS_VALUES_OUTPUT] = " -x -a 'table csv tsv json jsonl'",
        [TS_VALUES_QUESTION] = (" -a \"(trace_streamer --questions 2>/dev/null | string match -r "
                                "'^  [a-z0-9_]+' | string trim)\""),
        [TS_VALUES_QUESTION_FILE] = (" -r -F -a \"(trace_streamer --questions 2>/dev/null | "
                                     "string match -r '^  [a-z0-9_]+' | string trim)\""),
    };
    if (o->arg == TS_ARG_VALUE || (o->arg == TS_ARG_OPTIONAL && (o->values == TS_VALUES_TABLE ||
                                                                 o->values == TS_VALUES_QUESTION ||
                                                                 o->values == TS_VALUES_REPORT))) {
        printf("%s", arguments[o->values]);
    }
}

static void print_fish(void)
{
    printf("# fish completion for trace_streamer; %s\n"
           "complete -c trace_streamer -n __fish_use_subcommand -a diff -d 'compare two recordings "
           "or databases'\n"
           "complete -c trace_streamer -n __fish_use_subcommand -a serve -d 'databases in the "
           "browser'\n"
           "complete -c trace_streamer -n __fish_use_subcommand -a upgrade -d 'the present schema "
           "for an older database'\n",
           generated);
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls == TS_OPTION_REFUSED) {
            continue;
        }
        printf("complete -c trace_streamer");
        if (o->short_name != NULL) {
            print_fish_name(o->short_name);
        }
        if (o->long_name != NULL) {
            print_fish_name(o->long_name);
        }
        print_fish_value(o);
        printf(" -d '");
        for (const char *p = o->help; *p != '\0'; p++) {
            if (*p == '\'' || *p == '\\') {
                putchar('\\');
            }
            putchar(*p);
        }
        printf("'\n");
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "list") == 0) {
        print_list();
    } else if (strcmp(what, "bash") == 0) {
        print_bash();
    } else if (strcmp(what, "zsh") == 0) {
        print_zsh();
    } else if (strcmp(what, "fish") == 0) {
        print_fish();
    } else {
        fprintf(stderr, "usage: option_table list|bash|zsh|fish\n");
        return 2;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
