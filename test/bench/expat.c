/*
 * bench_expat FILE: parses a file with expat and handlers that do nothing but count, which is what
 * an XML importer cannot do without. A root that is not closed is no mistake here. Prints the
 * number of elements.
 */
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    (void)name;
    (void)attributes;
    ++*(unsigned long *)user;
}

static void XMLCALL end(void *user, const XML_Char *name)
{
    (void)user;
    (void)name;
}

int main(int argc, char **argv)
{
    static char block[1 << 16];
    unsigned long elements = 0;
    size_t n;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    XML_Parser parser = XML_ParserCreate(NULL);

    if (f == NULL || parser == NULL) {
        fprintf(stderr, "usage: bench_expat FILE\n");
        return 2;
    }
    XML_SetUserData(parser, &elements);
    XML_SetElementHandler(parser, begin, end);
    while ((n = fread(block, 1, sizeof block, f)) > 0) {
        if (XML_Parse(parser, block, (int)n, 0) != XML_STATUS_OK) {
            fprintf(stderr, "bench_expat: %s\n", XML_ErrorString(XML_GetErrorCode(parser)));
            return 1;
        }
    }
    fclose(f);
    XML_ParserFree(parser);
    printf("%lu elements\n", elements);
    return 0;
}
