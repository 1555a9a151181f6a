# What the checks of client packages have in common. The caller sets `root`, the folder of the package.

# Where a client is built: as paths of users do, its path has a space and letters outside ASCII.
client_folder="$root/.build-clients/Möbel und Söhne"
# What clients share in debug is compiled once.
scratch=$client_folder/.build

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# Builds the package in the current folder, and once more, which must compile nothing.
build_twice() {
    "$root/Scripts/build-beside" . "$scratch" "$@"
    # Plugins are named in each build, and SwiftPM may link their tools once more and run them; what
    # they write is the same, so that nothing is compiled.
    again=$(swift build --scratch-path "$scratch" "$@" 2>&1 | grep -v 'Compiling plugin' || true)
    if printf '%s\n' "$again" | grep -E 'Compiling|Emitting'; then
        fail "nothing has changed, but the second build compiled the above"
    fi
    printf '%s\n' "$again" | grep 'Build complete'
}
