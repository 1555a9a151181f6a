# What the checks of client packages have in common; they read this file in.

# Where one of them is built, below the folder of the package: as the paths of users do, its path has a
# space and letters outside ASCII.
client_folder="$PWD/.build-clients/Möbel und Söhne"

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# Builds the package in the current folder, and once more, which must compile nothing.
build_twice() {
    # SwiftPM may take another package's plan for this one's, where both are built in one folder.
    rm -f "$client_folder/.build/debug.yaml"
    swift build "$@"
    # Plugins are named in each build, and SwiftPM may link their tools once more and run them; what
    # they write is the same, so that nothing is compiled.
    again=$(swift build "$@" 2>&1 | grep -v 'Compiling plugin' || true)
    if printf '%s\n' "$again" | grep -E 'Compiling|Emitting'; then
        fail "nothing has changed, but the second build compiled the above"
    fi
    printf '%s\n' "$again" | grep 'Build complete'
}
