#!/bin/sh
# Makes ./configure from configure.ac: needed once in a fresh clone, not in a release tarball.
set -eu
cd "$(dirname "$0")"
mkdir -p m4 build-aux
exec autoreconf --install --force
