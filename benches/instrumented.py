#!/usr/bin/env python3
"""Builds Bitwuzla from its source in the crate `bitwuzla-sys`, so that it tells Auspex which edges it reaches.

    benches/instrumented.py [--out FOLDER]

It needs clang, cargo, pip, and Debian's apt-get and dpkg; no rights of root. CaDiCaL, SymFPU and GMP come from Debian's packages,
meson and ninja from pip. It takes two processor minutes, and nothing the second time. The last line of its output is the program.
planted.py builds the same solver with planted bugs.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "crates/solvers/src/coverage/runtime.c"
CRATE, RELEASE = "bitwuzla-sys", "0.8.0"
PACKAGES = ("libcadical-dev", "libsymfpu-dev", "libgmp-dev")
COVERAGE = "-fsanitize-coverage=trace-pc-guard,pc-table"
# Releases as Bitwuzla's build wants them; Debian's do as well.
PC = {
    "symfpu": "Name: symfpu\nDescription: symfpu\nVersion: 0\nCflags: -I{usr}/include\n",
    "cadical": "Name: cadical\nDescription: cadical\nVersion: 2.1.2\nCflags: -I{usr}/include\nLibs: -L{lib} -lcadical\n",
    "gmp": "Name: gmp\nDescription: gmp\nVersion: 6.3.0\nCflags: -I{usr}/include -I{usr}/include/x86_64-linux-gnu\nLibs: -L{lib} -lgmp\n",
}


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "auspex-instrumented"


def run(*command, folder=None, environment=None):
    ended = subprocess.run([str(word) for word in command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if ended.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{ended.stdout[-3000:]}")
    return ended.stdout


def source():
    """The folder of the crate's source."""
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    name = f"{CRATE}-{RELEASE}/bitwuzla"
    found = list(home.glob(f"registry/src/*/{name}"))
    if not found:
        with tempfile.TemporaryDirectory() as folder:
            run("cargo", "init", "--quiet", "--name", "fetched", folder=folder)
            run("cargo", "add", "--quiet", f"{CRATE}@={RELEASE}", folder=folder)
            run("cargo", "fetch", "--quiet", folder=folder)
        found = list(home.glob(f"registry/src/*/{name}"))
    return found[0]


def libraries(folder):
    """Debian's packages, unpacked, with descriptions for pkg-config; their folder."""
    done = folder / "libraries"
    if done.exists():
        return done
    making = folder / "libraries.new"
    shutil.rmtree(making, ignore_errors=True)
    (making / "pc").mkdir(parents=True)
    run("apt-get", "download", *PACKAGES, folder=making)
    for package in making.glob("*.deb"):
        run("dpkg", "-x", package, making)
    usr = done / "usr"
    for name, text in PC.items():
        (making / "pc" / f"{name}.pc").write_text(text.format(usr=usr, lib=usr / "lib/x86_64-linux-gnu"))
    making.rename(done)
    return done


def tools(folder):
    """A virtual environment with meson and ninja; its programs."""
    place = folder / "tools"
    if not (place / "bin/ninja").exists():
        run(sys.executable, "-m", "venv", place)
        run(place / "bin/pip", "install", "--quiet", "meson", "ninja")
    return place / "bin"


def build(name, flags, links, prepare=None, jobs=2):
    """The program of a build of that name; `prepare` may change its copy of the source first."""
    folder = cache() / name
    program = folder / "build/src/main/bitwuzla"
    if (folder / "complete").exists():
        return program
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    there, bin = libraries(cache()), tools(cache())
    shutil.copytree(source(), folder / "source")
    subprocess.run(["chmod", "-R", "u+w", folder / "source"], check=True)
    if prepare:
        prepare(folder / "source")
    lib = there / "usr/lib/x86_64-linux-gnu"
    environment = {**os.environ, "CC": "clang", "CXX": "clang++", "PKG_CONFIG_PATH": str(there / "pc"), "LIBRARY_PATH": str(lib),
                   "CPLUS_INCLUDE_PATH": f"{there}/usr/include:{there}/usr/include/x86_64-linux-gnu", "PATH": f"{bin}:{os.environ['PATH']}"}
    objects = []
    for path in links:
        objects.append(folder / f"{path.stem}.o")
        run("clang", "-O2", "-c", path, "-o", objects[-1])
    run("meson", "setup", folder / "build", folder / "source", "--buildtype=release", "-Dstrip=false", "-Ddefault_library=static", "-Doptimization=1",
        "-Dtesting=disabled", "--wrap-mode=nodownload", f"-Dcpp_args={' '.join(['-gline-tables-only', *flags])}",
        f"-Dcpp_link_args={' '.join(map(str, objects))}", environment=environment)
    run("ninja", "-C", folder / "build", f"-j{jobs}", environment=environment)
    (folder / "complete").touch()
    return program


def covered(prepare=None, name="covered", links=()):
    return build(name, [COVERAGE], [RUNTIME, *links], prepare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, help="put the program there, too")
    options = parser.parse_args()
    program = covered()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        program = shutil.copy(program, options.out / "bitwuzla")
    print(program)


if __name__ == "__main__":
    main()
