#include "cmd/view/page.h"

#include <stdint.h>

static const uint8_t style[] = {
#include "cmd/view/style_css.h"
};
static const uint8_t script[] = {
#include "cmd/view/script_js.h"
};
static const uint8_t body[] = {
#include "cmd/view/body_html.h"
};

/* Inside of an element or an attribute. */
static void put_text(const char *text, FILE *to)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '"': fputs("&quot;", to); break;
        default: putc((uint8_t)*text < ' ' ? '?' : *text, to);
        }
}

void page_begin(const char *title, const char *address, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"generator\" content=\"thrace view\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:",
          to);
    fprintf(to, "%s\">\n<title>", address ? "; connect-src 'self'" : "");
    put_text(title, to);
    fputs(" – thrace</title>\n<style>\n", to);
    fwrite(style, 1, sizeof style, to);
    fputs("</style>\n<script>\n", to);
    fwrite(script, 1, sizeof script, to);
    fputs("</script>\n</head>\n<body class=\"reading\">\n", to);
    fwrite(body, 1, sizeof body, to);
    fprintf(to, "<script type=\"text/plain\" id=\"data\"%s%s%s>\n", address ? " data-address=\"" : "",
            address ? address : "", address ? "\"" : "");
}

void page_end(FILE *to) { fputs("</script>\n</body>\n</html>\n", to); }
