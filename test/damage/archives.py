"""Archives that lie or are hostile, made byte by byte: archives.py RECORDING"""

import io
import struct
import sys
import tarfile
import zipfile
import zlib

good = open(sys.argv[1], "rb").read()


def local(name, data, flags=0, size=None, extra=b""):
    n = len(data) if size is None else size
    return struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, flags, 0, 0, 0, zlib.crc32(data), n, n, len(name), len(extra)) + name + extra + data


def central(name, data, offset, flags=0, size=None, extra=b""):
    n = len(data) if size is None else size
    return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0x031E, 45, flags, 0, 0, 0, zlib.crc32(data), n, n, len(name), len(extra), 0, 0, 0,
                       0o100644 << 16, offset) + name + extra


def zip_of(entries):
    """entries: (name, data, flags, size, extra) with size None for the right one"""
    body = b""
    directory = b""
    for name, data, flags, size, extra in entries:
        directory += central(name, data, len(body), flags, size, extra)
        body += local(name, data, flags, size, extra)
    count = min(len(entries), 0xFFFF)
    return body + directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)


def plain(name, data=good):
    return (name, data, 0, None, b"")


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


write("duplicated.zip", zip_of([plain(b"same.htrace"), plain(b"same.htrace")]))
write("encrypted.zip", zip_of([("secret.htrace".encode(), good, 1, None, b""), plain(b"good.htrace")]))
write("slip.zip", zip_of([plain(b"../../slip.htrace"), plain(b"/tmp/slip.htrace"), plain(b"a\\..\\..\\slip.htrace"), plain(b"C:\\slip.htrace"),
                          plain(b"good.htrace")]))
lie = struct.pack("<HHQQ", 1, 16, 1 << 62, 1 << 62)  # sizes of 2^62 bytes
write("zip64_lies.zip", zip_of([plain(b"good.htrace"), (b"lies.htrace", good, 0, 0xFFFFFFFF, lie)]))
# A member that says 2^64 - 1 in a field of 32 bits without the 64-bit ones, and an offset beyond the end.
write("size_lies.zip", zip_of([plain(b"good.htrace"), (b"lies.htrace", good, 0, 0xFFFFFFF0, b"")]))
write("names.zip", zip_of([plain(b"'); DROP TABLE source; --.htrace"), plain(b"\x1b[31mred\x1b]0;title\x07\r\n.htrace"),
                           ("\u202egnp.htrace".encode(), good, 0x800, None, b""), plain(b"\xff\xfe.htrace"), plain(b"n" * 4000 + b".htrace")]))
# A million entries of one member.
one = local(b"x", b"x")
entry = central(b"x", b"x", 0)
n = 1000000
directory = entry * n
end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, n, n, len(directory), len(one))
locator = struct.pack("<4sIQI", b"PK\6\7", 0, len(one) + len(directory), 1)
write("million.zip", one + directory + end64 + locator + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, data in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = data
                tar.addfile(info)
            else:
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


write("links.tar", tar_of([("link.htrace", tarfile.SYMTYPE, "/etc/passwd"), ("hard.htrace", tarfile.LNKTYPE, "good.htrace"),
                           ("device", tarfile.CHRTYPE, b""), ("block", tarfile.BLKTYPE, b""), ("pipe", tarfile.FIFOTYPE, b""),
                           ("good.htrace", tarfile.REGTYPE, good)]))
# Archives in one another: 4 are allowed.
inner = good
for depth in range(1, 6):
    inner = zip_of([plain(b"inner", inner)])
    write("nested%d.zip" % depth, inner)
for depth in range(20):
    inner = tar_of([("inner", tarfile.REGTYPE, inner)])
write("nested25.tar", inner)
# Two formats in one: what stands at the begin decides.
profile = b'{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"startTime":1,"endTime":2,"samples":[1],"timeDeltas":[1]}'
write("htrace_then_zip", good + zip_of([plain(b"in.cpuprofile", profile)]))
write("zip_of_htrace", zip_of([plain(b"in.htrace")]))
with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    with z.open("zeros.htrace", "w") as f:
        f.write(good)
        for _ in range(100):
            f.write(bytes(1 << 20))
