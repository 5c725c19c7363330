# Servers that rows of several tables need, and loads for them. The ports are nobody else's: a row has a network of its
# own.
# shellcheck shell=sh disable=SC2154

web() { # files in the folder www, from port 8000
    mkdir -p www
    ln -s "$inputs/text" www/text
    python3 -m http.server 8000 --bind 127.0.0.1 --directory www >web.log 2>&1 &
    launched=$!
    await listens 8000
}

requests() { # NUMBER URL
    ab -q -n "$1" -c 8 "$2" 2>&1 | grep -E '^(Complete|Failed|Non-2xx|Document Length|apr)'
}

# --- names ------------------------------------------------------------------------------------------------------------

zone() {
    cat >zone <<END
\$TTL 60
@ SOA here. me.here. 1 60 60 60 60
@ NS one
one A 192.0.2.1
two A 192.0.2.2
END
}

knot_conf() { # PORT
    zone
    cat >knot.conf <<END
server:
    rundir: "$PWD"
    listen: 127.0.0.1@$1
    udp-workers: 2
    tcp-workers: 2
    background-workers: 2
database:
    storage: "$PWD"
zone:
  - domain: example.test
    file: "$PWD/zone"
END
}

name_server() { # PORT
    knot_conf "$1"
    knotd -c knot.conf >/dev/null 2>&1 &
    launched=$!
    await answers "$1"
    many_names
}

answers() { dig @127.0.0.1 -p "$1" +time=1 +tries=1 one.example.test; } # PORT
many_names() { awk 'BEGIN { for (i = 0; i < 200; i++) print (i % 2 ? "one" : "two") ".example.test A" }' >names; }

questions() { # PORT
    many_names
    dig @127.0.0.1 -p "$1" +short -f names | sort | uniq -c
}

# --- databases --------------------------------------------------------------------------------------------------------

# What a server makes for itself at first is made once, and copied for each run.
template() { # COMMAND…: makes the folder data
    kept=$inputs/$(basename "$1")
    [ -d "$kept" ] || { "$@" >prepared.log 2>&1 && mv data "$kept"; } || cat prepared.log
    cp -R "$kept" data
}

postgres_cluster() {
    PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
    export PGHOST="$PWD" PGUSER=postgres PGDATABASE=postgres
    template initdb -D data -U postgres -A trust --no-sync --no-locale -E UTF8
    echo "listen_addresses = ''
unix_socket_directories = '$PWD'
fsync = off" >>data/postgresql.conf
}

postgres_up() {
    postgres_cluster
    postgres -D "$PWD/data" >postgres.log 2>&1 &
    launched=$!
    await psql -c 'select 1'
}

mariadb_up() { # [serve]: as the program in question
    small='--innodb-log-file-size=16M --innodb-buffer-pool-size=64M --skip-log-bin --innodb-flush-log-at-trx-commit=0'
    # shellcheck disable=SC2086
    template mariadb-install-db --no-defaults --datadir="$PWD/data" --auth-root-authentication-method=normal \
        --skip-test-db $small
    # shellcheck disable=SC2086
    set -- "$@" mariadbd --no-defaults --datadir="$PWD/data" --socket="$PWD/socket" --skip-networking $small
    if [ "$1" = serve ]; then
        "$@"
    else
        "$@" >mariadbd.log 2>&1 &
        launched=$!
    fi
    await mariadb-admin --no-defaults -u root -S socket ping
}
