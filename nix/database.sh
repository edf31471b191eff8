# Source this in Bash, with PostgreSQL's programs and Bun in PATH: it starts a PostgreSQL of this shell's own on
# 127.0.0.1 and says in DATABASE_URL where. It and all that it holds are gone as soon as the shell ends, also when the
# shell has become another program by then, as `nix develop --command` does.

parley_database() {
  local directory port server
  if ((EUID == 0)); then
    echo "PostgreSQL does not run as root, so there is no DATABASE_URL: the embedded database is used." >&2
    return
  fi
  directory=$(mktemp -d "${TMPDIR:-/tmp}/parley-postgres-XXXXXX")
  # Without the bunfig.toml of the checkout, which asks for packages that may not be installed yet.
  port=$(bun --config=/dev/null -e '
    const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
    console.log(free.port)
    free.stop()
  ')
  if ! {
    initdb -D "$directory/data" -U postgres -A trust --no-locale -E UTF8 --no-sync >"$directory/log" &&
      pg_ctl -D "$directory/data" -w -s -l "$directory/log" \
        -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
  }; then
    echo "PostgreSQL did not start, so there is no DATABASE_URL. What it said is in $directory/log." >&2
    return
  fi
  server=$(head -n 1 "$directory/data/postmaster.pid")
  # A process of its own, which what ends the shell (a closed terminal, Ctrl-C) does not end.
  (
    trap '' HUP INT QUIT TERM
    while kill -0 $$; do sleep 1; done
    # A fast shutdown, which needs no directory: whoever made TMPDIR may remove it with all that is in it.
    kill -INT "$server"
    while kill -0 "$server"; do sleep 0.1; done
    rm -rf "$directory"
  ) </dev/null >/dev/null 2>&1 &
  disown
  export DATABASE_URL=postgres://postgres@127.0.0.1:$port/postgres
}

parley_database
unset -f parley_database
