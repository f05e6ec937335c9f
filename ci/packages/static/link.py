#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links a program with the static form of every library that is not part of libc.

    link.py c++ ... -o PROGRAM ... /usr/lib/x86_64-linux-gnu/libgrpc++.so ...

CMake's RULE_LAUNCH_LINK puts it before the command: the packages of Debian describe their shared
libraries only, although they have both. What a static library needs of others is found by name in
the folder of the first one.
"""

import pathlib
import re
import subprocess
import sys

# The parts of libc must fit the system that the program runs on.
DYNAMIC = {"c", "m", "dl", "rt", "pthread"}
# What gRPC's static libraries need beyond those that its shared ones name.
NEEDED = ["cares", "re2", "upb", "address_sorting", "ssl", "crypto", "z"]


def name_of(word: str) -> str | None:
    """Of a shared library: "grpc++" of /usr/lib/libgrpc++.so.1.51.1 or -lgrpc++."""
    found = re.fullmatch(r"(?:.*/lib(.+)\.so[.\d]*|-l(.+))", word)
    return found and (found[1] or found[2])


def main() -> int:
    words = sys.argv[1:]
    names = {name_of(word): word for word in words if name_of(word)}
    folders = [pathlib.Path(word).parent for word in names.values() if word.startswith("/")]
    if not folders:
        sys.exit("link.py: no shared library is named; expected the command of a linker")

    def archive(name: str) -> str | None:
        for folder in folders:
            if (folder / f"lib{name}.a").exists():
                return str(folder / f"lib{name}.a")
        return None

    kept: list[str] = []
    archives: list[str] = []
    for word in words:
        name = name_of(word)
        if name is None or name in DYNAMIC:
            kept.append(word)
        elif name == "fmt":
            continue  # compiled from its headers
        elif name == "atomic":
            kept.append("-l:libatomic.a")  # the compiler's
        elif found := archive(name):
            archives.append(found)
        else:
            sys.exit(f"link.py: lib{name}.a is in none of {sorted(set(map(str, folders)))}")
    archives += [found for found in map(archive, NEEDED) if found]
    archives += map(str, sorted(folders[0].glob("libabsl_*.a")))
    group = ["-Wl,--start-group", *dict.fromkeys(archives), "-Wl,--end-group"]
    command = [*kept, *group, "-static-libstdc++", "-static-libgcc", "-lm", "-lpthread", "-ldl"]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
