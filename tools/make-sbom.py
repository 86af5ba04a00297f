"""make-sbom.py SOURCE VERSION OUT [--linked FILE...] [--sources FOLDER] [--npm LOCK...]

The bill of materials of a release as CycloneDX 1.5 (JSON): the program, the packages of the distribution whose
libraries the given files load, the source packages that static builds are made of, and the packages of npm that are
part of the page. Equal inputs give equal bytes: there are no times and no random numbers in it.
"""

import argparse
import hashlib
import json
import os
import subprocess
import uuid


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def packages_of(files):
    """(package, version) of the libraries that the files load, in the distribution's names."""
    found = set()
    for file in files:
        for line in run("ldd", file).splitlines():
            words = line.split()
            path = words[2] if len(words) > 2 and words[1] == "=>" else ""
            if not path.startswith("/"):
                continue
            for name in {path, os.path.realpath(path)}:
                owner = run("dpkg", "-S", name).split(":")[0].strip()
                if owner:
                    found.add((owner, run("dpkg-query", "-W", "-f", "${Version}", owner).split("\n")[0]))
                    break
    return sorted(found)


def source_packages(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        changelog = os.path.join(folder, name, "debian", "changelog")
        if os.path.isfile(changelog):
            found.append((name, run("dpkg-parsechangelog", "-l", changelog, "-S", "Version").strip()))
    return found


def npm_packages(lock):
    """Those that are not for development alone."""
    with open(lock, encoding="utf-8") as file:
        packages = json.load(file)["packages"]
    return sorted(
        (path.rpartition("node_modules/")[2], one["version"], one.get("license", ""))
        for path, one in packages.items()
        if path and not one.get("dev") and "version" in one
    )


def component(kind, name, version, purl, license_id=""):
    made = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if license_id:
        made["licenses"] = [{"expression": license_id}]
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("version")
    parser.add_argument("out")
    parser.add_argument("--linked", nargs="*", default=[])
    parser.add_argument("--sources")
    parser.add_argument("--npm", nargs="*", default=[])
    given = parser.parse_args()
    components = [
        component("library", name, version, f"pkg:deb/debian/{name}@{version}") for name, version in packages_of(given.linked)
    ]
    if given.sources and os.path.isdir(given.sources):
        components += [
            component("library", name, version, f"pkg:deb/debian/{name}@{version}?arch=source")
            for name, version in source_packages(given.sources)
        ]
    for lock in given.npm:
        components += [
            component("library", name, version, f"pkg:npm/{name.replace('@', '%40')}@{version}", license_id)
            for name, version, license_id in npm_packages(lock)
        ]
    components.sort(key=lambda one: one["purl"])
    unique = list({one["purl"]: one for one in components}.values())
    program = component("application", "trace_streamer", given.version, f"pkg:generic/trace_streamer@{given.version}", "Apache-2.0")
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": unique,
        "dependencies": [{"ref": program["bom-ref"], "dependsOn": [one["bom-ref"] for one in unique]}],
    }
    # A serial number is that of the content.
    digest = hashlib.sha256(json.dumps(bill, sort_keys=True).encode()).digest()
    bill = {"bomFormat": bill["bomFormat"], "specVersion": bill["specVersion"],
            "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}", **bill}
    with open(given.out, "w", encoding="utf-8") as file:
        json.dump(bill, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
