"""Archives whose cost should grow with the number of their members and no faster: growth_archives.py SHAPE N MEMBER OUTPUT.

MEMBER is a small recording. The shapes with pods take a directory of the Cloud Profiler's agent instead."""

import bz2
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
import zipfile
import zlib

shape, n, member, output = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
TEXT = b"no recording"


def parts_of(path):
    with open(path, "rb") as f:
        return list(iter(lambda: f.read(60000), b""))


def tar_of(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.GNU_FORMAT) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_of(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def wrong_crc(data):
    """Every checksum of a zip, in both places, is another one."""
    out = bytearray(data)
    for signature, at in ((b"PK\3\4", 14), (b"PK\1\2", 16)):
        i = out.find(signature)
        while i >= 0:
            out[i + at] ^= 0xFF
            i = out.find(signature, i + 4)
    return bytes(out)


def files(root):
    for directory, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(directory, name)
            with open(path, "rb") as f:
                yield os.path.relpath(path, root), f.read()


few = [("m%d" % i, TEXT) for i in range(n)]
if shape == "files":  # of a directory
    os.mkdir(output)
    for name, data in few:
        with open(os.path.join(output, name), "wb") as f:
            f.write(data)
    sys.exit()
if shape == "tar":
    data = tar_of(few)
elif shape == "zip":
    data = zip_of(few)
elif shape == "tar.gz":
    data = tar_of(few, "w:gz")
elif shape == "crc":
    data = wrong_crc(zip_of(few))
elif shape == "crc_stored":
    data = wrong_crc(zip_of(few, zipfile.ZIP_STORED))
elif shape == "same_names":
    data = tar_of([("same", TEXT)] * n)
elif shape == "upward":  # names that become the same, from many places
    data = tar_of([("../" * (i % 300) + "same", TEXT) for i in range(n)])
elif shape == "zips":  # behind one another
    data = b"".join(zip_of([("m%d" % i, TEXT)]) for i in range(n))
elif shape == "tars":
    data = b"".join(tar_of([("m%d" % i, TEXT)]) for i in range(n))
elif shape == "empty_zips":
    data = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0, 0, 0, 0, 0) * n
elif shape == "ends":  # that are none, all over a zip
    data = zip_of([("m", b"PK\5\6" * n)], zipfile.ZIP_STORED)
elif shape == "gzips":
    data = gzip.compress(open(member, "rb").read()) + gzip.compress(b"") * n
elif shape == "bzip2s":
    data = bz2.compress(open(member, "rb").read()) + bz2.compress(b"") * n
elif shape == "xzs":
    data = lzma.compress(open(member, "rb").read()) + lzma.compress(b"") * n
elif shape == "zstds":  # raw blocks: a frame of the member's size, a window of 128 KiB; frames to be skipped; empty frames
    data = b"".join(b"\x28\xb5\x2f\xfd\0\x38" + struct.pack("<I", len(part) << 3 | 1)[:3] + part for part in parts_of(member))
    data += (b"\x50\x2a\x4d\x18" + struct.pack("<I", 3) + b"abc" + b"\x28\xb5\x2f\xfd\0\x38\1\0\0") * n
elif shape == "lz4s":  # frames of independent blocks of 64 KiB that are stored, without checksums (HC is that of the two bytes before it)
    frame = b"\x04\x22\x4d\x18\x60\x40\x82"
    data = b"".join(frame + struct.pack("<I", len(part) | 1 << 31) + part + bytes(4) for part in parts_of(member)) + (frame + bytes(4)) * n
elif shape == "nested":  # archives in an archive
    inner = zip_of([("m", TEXT)])
    data = tar_of([("a%d.zip" % i, inner) for i in range(n)])
elif shape == "links":  # to one another, the last to a file
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for i in range(n):
            info = tarfile.TarInfo("l%d" % i)
            info.type = tarfile.SYMTYPE
            info.linkname = "l%d" % (i + 1)
            tar.addfile(info)
    data = out.getvalue()
elif shape == "no_directory":
    data = zip_of(few)
    data = data[:data.rindex(b"PK\5\6")]
elif shape == "pods.tar":
    data = tar_of(files(member))
elif shape == "pods.tar.gz":
    data = tar_of(files(member), "w:gz")
elif shape == "pods.zip":
    data = zip_of(files(member))
else:
    sys.exit("unknown shape " + shape)
with open(output, "wb") as f:
    f.write(data)
