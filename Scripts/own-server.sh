# For scripts that use a server of PostgreSQL of their own. The caller sets `name` and `root`; `fail`
# says what is wrong. The folder `work` goes with the script.

fail() {
    printf '%s: %s\n' "$name" "$1" >&2
    exit 1
}

# Whether there are a server and libpq.
has_postgresql() {
    ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1 && [ -f /usr/include/postgresql/libpq-fe.h ]
}

needs_postgresql() {
    has_postgresql || fail "PostgreSQL is missing: apt-get install postgresql libpq-dev."
}

# Starts a server whose database is at `url`.
start_server() {
    work=$(mktemp -d)
    # The server's user has to come to its folder.
    chmod 755 "$work"
    mkfifo "$work/commands"
    "$root/Scripts/postgresql-server" "$work/server" <"$work/commands" >"$work/state" &
    server=$!
    exec 3>"$work/commands"
    trap 'exec 3>&-; wait "$server" || :; rm -rf "$work"' EXIT
    until [ -s "$work/state" ]; do
        kill -0 "$server" 2>/dev/null || fail "the server does not start"
        sleep 0.1
    done
    url="postgresql:///postgres?host=$(printf %s "$work/server" | sed 's|/|%2F|g')&user=postgres"
}
