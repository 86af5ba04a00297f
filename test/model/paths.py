"""Ids of call paths, as their definition says: 64 bits of SipHash-1-3 with a key of zeros, written from the paper."""

MASK = (1 << 64) - 1


def siphash(words, rounds=(1, 3), key=(0, 0)):
    """SipHash (Aumasson and Bernstein, 2012) of words of 64 bits."""
    v = [a ^ b for a, b in zip(key + key, (0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573))]

    def rotate(x, bits):
        return (x << bits | x >> (64 - bits)) & MASK

    def sip(n):
        for _ in range(n):
            for a, b, left in ((0, 1, 13), (2, 3, 16)):
                v[a] = (v[a] + v[b]) & MASK
                v[b] = rotate(v[b], left) ^ v[a]
            v[0] = rotate(v[0], 32)
            for a, b, left in ((2, 1, 17), (0, 3, 21)):
                v[a] = (v[a] + v[b]) & MASK
                v[b] = rotate(v[b], left) ^ v[a]
            v[2] = rotate(v[2], 32)

    for word in words:
        v[3] ^= word
        sip(rounds[0])
        v[0] ^= word
    v[2] ^= 0xff
    sip(rounds[1])
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def words_of(text):
    """The words of a message: its bytes, and in the highest byte of the last word how many they are."""
    last = len(text) // 8 * 8
    return [int.from_bytes(text[i:i + 8], "little") for i in range(0, last, 8)] + [int.from_bytes(text[last:], "little") | (len(text) & 255) << 56]


assert siphash(words_of(bytes(range(15))), (2, 4), (0x0706050403020100, 0x0f0e0d0c0b0a0908)) == 0xa129ca6149be45e5  # appendix A of the paper


def method_key(library=b"", package=b"", klass=b"", name=b"", signature=b"", file=b"", line=None):
    """Texts are bytes; the line counts for what has no name."""
    words = []
    for text in (library, package, klass, name, signature, file):
        words += [len(text or b"")] + words_of(text or b"")
    return siphash(words + [(-1 << 63 if name or line is None else line) & MASK]) or 1


def path_id(keys, lines=None, above=0):
    """Of methods by their keys, from the outermost on (of an inverted path from the innermost on); lines: of those that are apart by them."""
    for i, key in enumerate(keys):
        above = siphash([above, key] + ([lines[i] & MASK] if lines and lines[i] is not None else []))
    return above


def hexadecimal(number):
    return "%016x" % number
