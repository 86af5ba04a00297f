/*
 * The opening handshake of a WebSocket (RFC 6455, section 4.2).
 *
 * A request is one for a WebSocket when its header has "Upgrade: websocket". It is then answered
 * with 101 only if the method is GET, "Connection" has the token "upgrade", the version is 13, the
 * key is 16 bytes in base64 and the sub-protocol is that of Flare; every other one gets 400, 405 or
 * 426 and stays HTTP. Host, Origin and the token were checked before, as for any request
 * (request.c): a browser lets any page open a WebSocket, so the check of the Origin is what keeps
 * others out.
 *
 * Sec-WebSocket-Accept is the base64 of SHA-1 of the key and a fixed text. SHA-1 is here for that
 * only.
 */
#include "serve/http/websocket.h"

#include <string.h>

/* --- SHA-1 ----------------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t v, unsigned bits)
{
    return v << bits | v >> (32 - bits);
}

static void sha1_block(uint32_t h[5], const uint8_t *p)
{
    uint32_t w[80];
    uint32_t v[5];
    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    }
    for (unsigned i = 16; i < 80; i++) {
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t f = i < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                     : i < 40 ? v[1] ^ v[2] ^ v[3]
                     : i < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                              : v[1] ^ v[2] ^ v[3];
        static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        uint32_t t = rotate(v[0], 5) + f + v[4] + k[i / 20] + w[i];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotate(v[1], 30);
        v[1] = v[0];
        v[0] = t;
    }
    for (unsigned i = 0; i < 5; i++) {
        h[i] += v[i];
    }
}

void ts_sha1(uint8_t out[TS_SHA1_SIZE], const void *bytes, size_t n)
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *p = bytes;
    uint8_t last[128] = {0};
    size_t whole = n / 64 * 64;
    size_t rest = n - whole;
    size_t end = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) {
        sha1_block(h, p + i);
    }
    if (rest > 0) {
        memcpy(last, p + whole, rest);
    }
    last[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++) {
        last[end - 1 - i] = (uint8_t)((uint64_t)n * 8 >> (8 * i));
    }
    for (size_t i = 0; i < end; i += 64) {
        sha1_block(h, last + i);
    }
    for (unsigned i = 0; i < TS_SHA1_SIZE; i++) {
        out[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
    }
}

/* --- handshake ------------------------------------------------------------------------------- */

enum { KEY_LENGTH = 24 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ts_websocket_accept(char out[TS_ACCEPT_LENGTH + 1], ts_text key)
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[KEY_LENGTH + sizeof guid];
    uint8_t sum[TS_SHA1_SIZE + 1] = {0};
    size_t n = key.n < KEY_LENGTH ? key.n : KEY_LENGTH;
    memcpy(text, key.p, n);
    memcpy(text + n, guid, sizeof guid - 1);
    ts_sha1(sum, text, n + sizeof guid - 1);
    for (size_t i = 0; i < 7; i++) {
        uint32_t v = (uint32_t)sum[3 * i] << 16 | (uint32_t)sum[3 * i + 1] << 8 | sum[3 * i + 2];
        for (unsigned k = 0; k < 4; k++) {
            out[4 * i + k] = alphabet[v >> (18 - 6 * k) & 63];
        }
    }
    out[TS_ACCEPT_LENGTH - 1] = '='; /* 20 bytes are 27 letters */
    out[TS_ACCEPT_LENGTH] = '\0';
}

bool ts_websocket_wanted(const ts_request *r)
{
    return ts_token_in(r->upgrade, "websocket");
}

/* 16 bytes as base64. */
static bool key_valid(ts_text key)
{
    if (key.p == NULL || key.n != KEY_LENGTH || memcmp(key.p + KEY_LENGTH - 2, "==", 2) != 0) {
        return false;
    }
    for (size_t i = 0; i < KEY_LENGTH - 2; i++) {
        if (key.p[i] == '\0' || strchr(alphabet, key.p[i]) == NULL) {
            return false;
        }
    }
    return true;
}

ts_verdict ts_websocket_check(const ts_request *r)
{
    if (!ts_text_is(r->method, "GET")) {
        return (ts_verdict){405, "method", "a WebSocket begins with GET", false};
    }
    if (!ts_token_in(r->connection, "upgrade") || !key_valid(r->socket_key)) {
        return (ts_verdict){400, "bad_request", "the upgrade has no key", false};
    }
    if (!ts_text_is(r->socket_version, "13")) {
        return (ts_verdict){426, "bad_request", "only version 13 of WebSocket is known", false};
    }
    if (!ts_token_in(r->socket_protocols, TS_FLARE_PROTOCOL)) {
        return (ts_verdict){400, "bad_request", "the sub-protocol has to be flare-profiler", false};
    }
    return (ts_verdict){0};
}
