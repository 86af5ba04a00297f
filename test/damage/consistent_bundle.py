"""Whether an upload to Datakit is a legal one that contradicts nothing, and what its metadata says then; for the campaign."""

import gzip
import os
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import bundle
import consistent_profiles
import profiles


def found(path):
    """(key, value) of tags and numbers, or None."""
    try:
        upload = bundle.Bundle(path)
        _, tags = upload.profile()
        if upload.missing:
            return None
        for _, name, body, _ in upload.files:
            data = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
            if name.endswith(".pprof"):
                list(profiles.Pprof(data).rows())
            elif name.endswith(".folded") and consistent_profiles.folded(data) is None:
                return None
        return sorted(tags) + [(n, repr(float(v))) for n, v in upload.numbers() if v is not None]
    except (bundle.Damaged, profiles.Damaged, OverflowError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, EOFError, zlib.error):
        return None


def consistent(path):
    return found(path) is not None


def rows(path):
    """As the campaign's connections give them."""
    return [tuple(cell.encode() for cell in row) for row in found(path)]


SQL = ["SELECT key, value FROM profile_tag ORDER BY 1, 2", "SELECT name, CAST(value AS TEXT) FROM profile_number WHERE value IS NOT NULL ORDER BY rowid"]
