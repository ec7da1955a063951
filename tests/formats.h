/* Whether texts are what their formats demand: UTF-8, XML, JSON. */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdbool.h>
#include <string.h>

/* UTF-8 (RFC 3629) of characters that XML and JSON allow. */
static inline bool is_text(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int more = *at < 0x80             ? 0
                         : (*at & 0xE0) == 0xC0 ? 1
                         : (*at & 0xF0) == 0xE0 ? 2
                         : (*at & 0xF8) == 0xF0 ? 3
                                                : -1;
        long code = more <= 0 ? *at : *at & (0x3F >> more);
        if (more < 0 || (*at < ' ' && *at != '\n')) return false;
        for (int i = 0; i < more; ++i) {
            if ((*++at & 0xC0) != 0x80) return false;
            code = code * 64 + (*at & 0x3F);
        }
        ++at;
        if ((more == 1 && code < 0x80) || (more == 2 && code < 0x800) || (more == 3 && code < 0x10000)) return false;
        if ((code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF) return false;
    }
    return true;
}

/* Well-formed XML, as far as a drawing needs it: tags nest, attributes are quoted, entities are known. */
static inline bool xml_is_well_formed(const char *at)
{
    char open[32][32];
    int depth = 0, roots = 0;

    if (!is_text(at) || strstr(at, "]]>")) return false;
    while (*at) {
        if (*at == '&') {
            static const char *const known[] = { "&lt;", "&gt;", "&amp;", "&quot;" };
            bool found = false;
            for (int i = 0; i < 4; ++i) found = found || strncmp(at, known[i], strlen(known[i])) == 0;
            if (!found) return false;
            ++at;
        } else if (*at == '<') {
            const bool closes = at[1] == '/';
            char name[32];
            int length = 0;
            at += closes ? 2 : 1;
            while (((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9')) && length < 31) name[length++] = *at++;
            name[length] = 0;
            if (length == 0) return false;
            if (closes) {
                if (depth == 0 || strcmp(open[--depth], name) != 0 || *at++ != '>') return false;
                continue;
            }
            while (*at && *at != '>' && *at != '/') { /* attributes */
                if (*at == ' ') {
                    ++at;
                    continue;
                }
                while (*at && *at != '=' && *at != '>' && *at != '<') ++at;
                if (*at++ != '=' || *at++ != '"') return false;
                while (*at && *at != '"' && *at != '<') ++at;
                if (*at++ != '"') return false;
            }
            if (*at == '/') {
                ++at;
            } else {
                if (depth == 32) return false;
                if (depth == 0) ++roots;
                strcpy(open[depth++], name);
            }
            if (*at++ != '>') return false;
        } else {
            if (depth == 0 && *at != '\n') return false;
            ++at;
        }
    }
    return depth == 0 && roots == 1;
}

/* JSON (RFC 8259): where a value ends, or NULL. */
static inline const char *json_blanks(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') ++at;
    return at;
}

static inline const char *json_string(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at != '"'; ++at) {
        if ((unsigned char)*at < ' ') return NULL;
        if (*at == '\\') {
            ++at;
            if (*at == 'u') {
                for (int i = 1; i <= 4; ++i)
                    if (!strchr("0123456789abcdefABCDEF", at[i]) || !at[i]) return NULL;
                at += 4;
            } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
                return NULL;
            }
        }
    }
    return at + 1;
}

static inline const char *json_number(const char *at)
{
    const char *digits;
    if (*at == '-') ++at;
    digits = at;
    while (*at >= '0' && *at <= '9') ++at;
    if (at == digits || (*digits == '0' && at > digits + 1)) return NULL;
    if (*at == '.') {
        digits = ++at;
        while (*at >= '0' && *at <= '9') ++at;
        if (at == digits) return NULL;
    }
    return at;
}

static inline const char *json_value(const char *at, int depth)
{
    const char close = *at == '{' ? '}' : ']';
    if (depth > 20) return NULL;
    if (*at == '"') return json_string(at);
    if (*at != '{' && *at != '[') return json_number(at);
    at = json_blanks(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = json_string(at);
            if (!at) return NULL;
            at = json_blanks(at);
            if (*at++ != ':') return NULL;
            at = json_blanks(at);
        }
        at = json_value(at, depth + 1);
        if (!at) return NULL;
        at = json_blanks(at);
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
        at = json_blanks(at);
    }
}

static inline bool json_is_valid(const char *text)
{
    const char *end = json_value(json_blanks(text), 0);
    return is_text(text) && end && *json_blanks(end) == 0;
}

#endif
