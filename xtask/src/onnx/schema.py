"""Writes a file of a crate: schema.py CRATE VERSION PATH OUT. Follows crates.py."""
import sys

name, version, path, out = sys.argv[1:]
pathlib.Path(out).write_bytes(crate(name, version)(f"{name}-{version}/{path}"))
