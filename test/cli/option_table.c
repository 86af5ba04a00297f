/*
 * Prints what is made from the option table: `option_table list` (one line an option, for the
 * tests), `option_table exits` (one line an exit code), `option_table bash|zsh|fish` (the files of
 * share/completion, which a test compares).
 */
#include "cli/exit_codes.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

static const char generated[] = "made from the option table: see CONTRIBUTING.md, options";

/* What is offered for a value: words, and what the program prints as the first word of lines. */
static const struct {
    const char *words;
    const char *ask; /* arguments of the program, or NULL */
    bool indented;   /* only lines that begin with two blanks count */
    bool files;      /* names of files, too */
} offers[] = {
    [TS_VALUES_FORMAT] = {"list", "--format=list", false, false},
    [TS_VALUES_TABLE] = {"", "--tables", false, false},
    [TS_VALUES_ANALYSIS] = {"none default list", "--analyze=list", false, false},
    [TS_VALUES_EXPORT] = {"list", "--to=list", false, false},
    [TS_VALUES_DIFF] = {"list", "diff --by=list", false, false},
    [TS_VALUES_QUESTION] = {"", "--questions", true, false},
    [TS_VALUES_QUESTION_FILE] = {"", "--questions", true, true},
};

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

/* "convert" for no word in first place. */
static const char *verb_name(ts_verb verb)
{
    return verb == TS_VERB_NONE ? "convert" : ts_verb_list[verb].name;
}

static bool is_of(const ts_option *o, ts_verb verb)
{
    return (o->verbs & 1U << verb) != 0;
}

/* The name that completions offer. */
static const char *main_name(const ts_option *o)
{
    return o->long_name == NULL || strcmp(o->long_name, "--s") == 0 ? o->short_name : o->long_name;
}

/* The names of all verbs, or of those whose bits are set. */
static void print_verbs(unsigned verbs, const char *between)
{
    const char *before = "";
    for (ts_verb v = TS_VERB_NONE + 1; v < TS_VERB_COUNT; v++) {
        if ((verbs & 1U << v) != 0) {
            printf("%s%s", before, verb_name(v));
            before = between;
        }
    }
}

static void print_list(void)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        printf("%s %s %s %s %s", o->short_name == NULL ? "." : o->short_name,
               o->long_name == NULL ? "." : o->long_name, arg_name(o->arg),
               o->value == NULL ? "." : o->value, class_name(o->cls));
        for (ts_verb v = 0; v < TS_VERB_COUNT; v++) {
            printf("%s%s", is_of(o, v) ? " " : "", is_of(o, v) ? verb_name(v) : "");
        }
        printf("\n");
    }
}

static void print_exits(void)
{
    for (size_t i = 0; i < ts_exit_count; i++) {
        printf("%s\t%s\n", ts_exit_list[i].codes, ts_exit_list[i].sentence);
    }
}

/* --- bash ---------------------------------------------------------------------------------- */

static void print_bash_value(const ts_option *o)
{
    bool files = o->values == TS_VALUES_FILE;
    printf("        ");
    if (o->values == TS_VALUES_NONE) {
        printf("COMPREPLY=()");
    } else if (files || o->values == TS_VALUES_DIRECTORY) {
        printf("mapfile -t COMPREPLY < <(compgen -%c -- \"$cur\")", files ? 'f' : 'd');
    } else if (o->words != NULL) {
        printf("mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")", o->words);
    } else {
        const char *words = offers[o->values].words;
        printf("mapfile -t COMPREPLY < <(compgen -W \"%s%s$(\"$1\" %s 2>/dev/null | %s)\" -- "
               "\"$cur\"%s)",
               words, words[0] == '\0' ? "" : " ", offers[o->values].ask,
               offers[o->values].indented ? "grep -oE '^  [a-z0-9_]+'" : "cut -d' ' -f1",
               offers[o->values].files ? "; compgen -f -- \"$cur\"" : "");
    }
    printf("\n        return\n        ;;\n");
}

/* Whether a row before has the values of the name. */
static bool is_shadowed(const ts_option *o, const char *name)
{
    return ts_option_find(~0U, name, strlen(name)) != o;
}

/* What the program is asked for. It is told the words as they are typed, which COMP_WORDS divides
 * at
 * "=" and ":", and bash replaces the last of these parts only. */
static void print_bash_ask(void)
{
    printf("_trace_streamer_ask() { # program, option, line to the cursor, rest: what --complete "
           "says\n"
           "    local typed='' cur=${COMP_WORDS[COMP_CWORD]//\\\\/} prefix words rest\n"
           "    # shellcheck disable=SC2162 # a backslash keeps a blank in its word\n"
           "    IFS=$' \\t\\n' read -d '' -a words <<<\"$3\"\n"
           "    # shellcheck disable=SC2162\n"
           "    IFS=$' \\t\\n' read -d '' -a rest <<<\"$4\"\n"
           "    [[ $4 == [^\\ ]* ]] && rest=(\"${rest[@]:1}\")\n"
           "    if [[ $3 != *' ' || $3 == *'\\ ' ]]; then\n"
           "        typed=${words[-1]}\n"
           "        unset 'words[-1]'\n"
           "    fi\n"
           "    [[ ${words[-1]} == \"$2\" ]] && unset 'words[-1]'\n"
           "    typed=${typed#\"$2=\"}\n"
           "    [[ $cur == [=:] ]] && cur=\n"
           "    prefix=${typed%%\"$cur\"}\n"
           "    mapfile -t COMPREPLY < <(\"$1\" \"${words[@]:1}\" \"--complete=$2=$typed\" "
           "\"${rest[@]}\" "
           "2>/dev/null)\n"
           "    COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"
           "    [[ ${COMPREPLY[0]-} == *= ]] && compopt +o filenames -o nospace 2>/dev/null\n"
           "    return 0\n"
           "}\n");
}

static void print_bash_asked(void)
{
    const char *between = "";
    printf("    local asked=' (");
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->values == TS_VALUES_ASKED && !is_shadowed(o, o->long_name)) {
            printf("%s%s", between, o->long_name);
            between = "|";
        }
    }
    printf(")( +|=)([^ ]|\\\\ )*$'\n"
           "    if [[ $line =~ $asked ]]; then\n"
           "        _trace_streamer_ask \"$1\" \"${BASH_REMATCH[1]}\" \"$line\" "
           "\"${COMP_LINE:COMP_POINT}\"\n"
           "        return\n"
           "    fi\n");
}

static void print_bash_cases(void)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        const char *name = o->long_name == NULL ? o->short_name : o->long_name;
        if (o->cls == TS_OPTION_REFUSED || o->arg == TS_ARG_NONE || is_shadowed(o, name) ||
            o->values == TS_VALUES_ASKED) {
            continue;
        }
        printf("    %s%s%s)\n", o->short_name == NULL ? "" : o->short_name,
               o->short_name == NULL || o->long_name == NULL ? "" : " | ",
               o->long_name == NULL ? "" : o->long_name);
        print_bash_value(o);
    }
}

static void print_bash_names(ts_verb verb)
{
    const char *space = "";
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls != TS_OPTION_REFUSED && is_of(o, verb)) {
            printf("%s%s", space, main_name(o));
            space = " ";
        }
    }
}

static void print_bash(void)
{
    printf("# bash completion for trace_streamer; %s\n"
           "# shellcheck shell=bash\n",
           generated);
    print_bash_ask();
    printf("_trace_streamer() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
           "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local verb='' options\n"
           "    local line=${COMP_LINE:0:COMP_POINT}\n"
           "    COMPREPLY=()\n");
    print_bash_asked();
    printf("    ((COMP_CWORD > 1)) && verb=${COMP_WORDS[1]}\n"
           "    # \"--name=value\" arrives as three words.\n"
           "    if [[ $cur == = ]]; then\n"
           "        cur=\n"
           "    elif [[ $prev == = ]] && ((COMP_CWORD >= 2)); then\n"
           "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    elif [[ ");
    const char *before = "";
    for (size_t i = 0; i < ts_option_count; i++) {
        if (ts_option_list[i].arg == TS_ARG_OPTIONAL) {
            printf("%s$prev == %s", before, ts_option_list[i].long_name);
            before = " || ";
        }
    }
    printf(" ]]; then\n"
           "        prev= # their values need the equals sign\n"
           "    fi\n"
           "    case $prev in\n");
    print_bash_cases();
    printf("    esac\n"
           "    case $verb in\n");
    for (ts_verb v = TS_VERB_NONE + 1; v <= TS_VERB_COUNT; v++) {
        ts_verb verb = v == TS_VERB_COUNT ? TS_VERB_NONE : v;
        printf("    %s) options='", verb == TS_VERB_NONE ? "*" : verb_name(verb));
        print_bash_names(verb);
        printf("' ;;\n");
    }
    printf("    esac\n"
           "    if [[ $cur == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
           "    elif [[ $verb != help ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)) || [[ $verb == help ]]; then\n"
           "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '");
    print_verbs(~0U, " ");
    printf("' -- \"$cur\")\n"
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

static void print_zsh_value(const ts_option *o)
{
    if (o->words != NULL) {
        printf("(%s)", o->words);
    } else if (o->values == TS_VALUES_ASKED) {
        printf("{_trace_streamer_ask %s}", o->long_name);
    } else if (o->values == TS_VALUES_FILE || o->values == TS_VALUES_DIRECTORY) {
        printf(o->values == TS_VALUES_FILE ? "_files" : "_files -/");
    } else if (o->values == TS_VALUES_NONE) {
        printf(" ");
    } else {
        const char *words = offers[o->values].words;
        bool files = offers[o->values].files;
        printf("%s$(trace_streamer %s 2>/dev/null | %s)%s%s%s", files ? "{compadd -- " : "(",
               offers[o->values].ask,
               offers[o->values].indented ? "grep -oE \"^  [a-z0-9_]+\"" : "cut -d\" \" -f1",
               words[0] == '\0' ? "" : " ", words, files ? "; _files}" : ")");
    }
}

static void print_zsh_spec(const ts_option *o, const char *name)
{
    bool repeated = o->id == TS_OPT_PARAM || o->id == TS_OPT_TEXTS;
    if (name == NULL) {
        return;
    }
    printf("        '%s%s%s[", repeated ? "*" : "", name,
           o->arg == TS_ARG_OPTIONAL                               ? "=-"
           : o->arg == TS_ARG_VALUE && strncmp(name, "--", 2) == 0 ? "="
                                                                   : "");
    print_zsh_text(o->help);
    printf("]");
    if (o->arg != TS_ARG_NONE) {
        printf("%s%s:", o->arg == TS_ARG_OPTIONAL ? "::" : ":", o->value);
        print_zsh_value(o);
    }
    printf("' \\\n");
}

static void print_zsh_verb(ts_verb verb)
{
    printf("%s)\n    _arguments -S \\\n", verb == TS_VERB_NONE ? "*" : verb_name(verb));
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls != TS_OPTION_REFUSED && is_of(o, verb)) {
            print_zsh_spec(o, o->short_name);
            print_zsh_spec(o, o->long_name);
        }
    }
    if (verb == TS_VERB_NONE) {
        printf("        '1:input or verb:{_files; compadd ");
        print_verbs(~0U, " ");
        printf("}' \\\n");
    } else {
        printf("        '1:verb:(%s)' \\\n", verb_name(verb));
    }
    if (verb == TS_VERB_HELP) {
        printf("        '2:verb:(");
        print_verbs(~0U, " ");
        printf(")'\n    ;;\n");
    } else {
        printf("        '*:input:_files'\n    ;;\n");
    }
}

static void print_zsh(void)
{
    printf(
        "#compdef trace_streamer\n"
        "# %s\n"
        "_trace_streamer_ask() { # option: what --complete says of the value being typed\n"
        "    local -a before=(${(Q)words[2,CURRENT-1]}) after=(${(Q)words[CURRENT+1,-1]}) values\n"
        "    [[ $before[-1] == $1 ]] && before[-1]=()\n"
        "    values=(\"${(@f)$(trace_streamer $before \"--complete=$1=${(Q)PREFIX}\" $after "
        "2>/dev/null)}\")\n"
        "    values=(${values:#})\n"
        "    if [[ $values[1] == *= ]]; then\n"
        "        compadd -S '' -- $values\n"
        "    else\n"
        "        compadd -- $values\n"
        "    fi\n"
        "}\n"
        "local verb=\n"
        "((CURRENT > 2)) && verb=$words[2]\n"
        "case $verb in\n",
        generated);
    for (ts_verb v = TS_VERB_NONE + 1; v < TS_VERB_COUNT; v++) {
        print_zsh_verb(v);
    }
    print_zsh_verb(TS_VERB_NONE);
    printf("esac\n");
}

/* --- fish ---------------------------------------------------------------------------------- */

static void print_fish_name(const char *name)
{
    if (name == NULL) {
        return;
    }
    if (strncmp(name, "--", 2) == 0) {
        printf(" -l %s", name + 2);
    } else {
        printf(name[2] == '\0' ? " -s %s" : " -o %s", name + 1);
    }
}

static void print_fish_value(const ts_option *o)
{
    bool value = o->arg == TS_ARG_VALUE; /* of the others, values come after "=" only */
    if (o->arg == TS_ARG_NONE || (!value && o->values == TS_VALUES_FILE)) {
        return;
    }
    if (o->words != NULL) {
        printf("%s -a '%s'", value ? " -x" : "", o->words);
    } else if (o->values == TS_VALUES_ASKED) {
        printf(" -x -a '(__trace_streamer_ask %s)'", o->long_name);
    } else if (o->values == TS_VALUES_NONE || o->values == TS_VALUES_FILE) {
        printf(o->values == TS_VALUES_NONE ? " -x" : " -r -F");
    } else if (o->values == TS_VALUES_DIRECTORY) {
        printf(" -x -a '(__fish_complete_directories)'");
    } else {
        const char *words = offers[o->values].words;
        printf("%s -a \"(trace_streamer %s 2>/dev/null | %s)%s%s\"",
               offers[o->values].files ? " -r -F"
               : value                 ? " -x"
                                       : "",
               offers[o->values].ask,
               offers[o->values].indented ? "string match -r '^  [a-z0-9_]+' | string trim"
                                          : "string split -f1 ' '",
               words[0] == '\0' ? "" : " ", words);
    }
}

/* Which verbs the line is for. */
static void print_fish_condition(unsigned verbs)
{
    const unsigned all = (1U << TS_VERB_COUNT) - 1;
    const bool plain = (verbs & 1U << TS_VERB_NONE) != 0;
    if (verbs == all) {
        return;
    }
    printf(" -n '%s__fish_seen_subcommand_from ", plain ? "not " : "");
    print_verbs(plain ? ~verbs : verbs, " ");
    printf("'");
}

static void print_fish_text(const char *text)
{
    printf(" -d '");
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'' || *p == '\\') {
            putchar('\\');
        }
        putchar(*p);
    }
    printf("'\n");
}

static void print_fish(void)
{
    printf("# fish completion for trace_streamer; %s\n"
           "function __trace_streamer_ask # option: what --complete says of the value being typed\n"
           "    set -l words (commandline -opc)\n"
           "    set -l typed (string replace -- $argv[1]= '' (commandline -ct))\n"
           "    test \"$words[-1]\" = $argv[1]; and set -e words[-1]\n"
           "    trace_streamer $words[2..] --complete=$argv[1]=$typed 2>/dev/null\n"
           "end\n",
           generated);
    for (ts_verb v = TS_VERB_NONE + 1; v < TS_VERB_COUNT; v++) {
        printf("complete -c trace_streamer -n __fish_use_subcommand -a %s", verb_name(v));
        print_fish_text(ts_verb_list[v].title);
    }
    printf("complete -c trace_streamer -f -n '__fish_seen_subcommand_from help' -a '");
    print_verbs(~0U, " ");
    printf("'\n");
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->cls == TS_OPTION_REFUSED) {
            continue;
        }
        printf("complete -c trace_streamer");
        print_fish_condition(o->verbs);
        print_fish_name(o->short_name);
        print_fish_name(o->long_name);
        print_fish_value(o);
        print_fish_text(o->help);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } tasks[] = {{"list", print_list},
                 {"exits", print_exits},
                 {"bash", print_bash},
                 {"zsh", print_zsh},
                 {"fish", print_fish}};
    const char *what = argc == 2 ? argv[1] : "";
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        if (strcmp(what, tasks[i].name) == 0) {
            tasks[i].print();
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "usage: option_table list|exits|bash|zsh|fish\n");
    return 2;
}
