"""Copies the .smt2 files of a tar or zip archive into a folder. Whatever else is in it is not looked at."""

import pathlib
import sys
import tarfile
import zipfile

LARGEST = 4 << 20
MOST_FILES = 200_000
MOST_BYTES = 4 << 30


def plain(name):
    """A relative path below the folder, or none."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    return None if ".." in parts or "\0" in name or not parts else pathlib.Path(*parts)


def zipped(path):
    with zipfile.ZipFile(path) as archive:
        for one in archive.infolist():
            if one.filename.endswith(".smt2"):
                yield one.filename, archive.open(one)


def tarred(path):
    with tarfile.open(path, "r:*") as archive:
        for one in archive:
            if one.isfile() and one.name.endswith(".smt2"):
                yield one.name, archive.extractfile(one)


def main():
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    files = total = 0
    for name, content in zipped(source) if zipfile.is_zipfile(source) else tarred(source):
        data, place = content.read(LARGEST + 1), plain(name)
        if place is None or len(data) > LARGEST:
            continue
        files, total = files + 1, total + len(data)
        if files > MOST_FILES or total > MOST_BYTES:
            sys.exit(f"more than {MOST_FILES} scripts or {MOST_BYTES >> 30} GiB in {source}")
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(data)


try:
    main()
except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
    sys.exit(f"{sys.argv[1]}: {error}")
