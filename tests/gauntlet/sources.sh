# Inputs of the gauntlet's programs.
# shellcheck shell=sh disable=SC2154

clip() { ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25 -frames:v "${1:-25}" -pix_fmt yuv420p clip.y4m; }
tone() { ffmpeg -v error -f lavfi -i sine=duration="${1:-20}" -ac 2 tone.wav; }
picture() { ffmpeg -v error -f lavfi -i testsrc2=size=800x600 -frames:v 1 picture."${1:-png}"; }

repository() { # FOLDER: a git repository with a history
    git init -q -b main "$1"
    for i in 1 2 3 4 5 6 7 8 9 10; do
        head -c "${i}00000" "$inputs/text" >"$1/file$i"
        tail -c "${i}0000" "$inputs/text" >"$1/same"
        git -C "$1" add .
        git -C "$1" commit -q -m "commit $i"
    done
}

tree() { # a folder of that name, with some hundred files
    mkdir tree
    split -l 100 -a 3 "$inputs/text" tree/part
    for i in a b c; do
        mkdir tree/$i
        mv tree/part?$i? tree/$i
    done
}

makefile() { # makes all of thirty files that shells make
    awk 'BEGIN {
        printf "all: "
        for (i = 0; i < 30; i++) printf "f%d ", i
        print "\n\tcat f* >all"
        for (i = 0; i < 30; i++) print "f" i ":\n\ti=0; while [ $$i -lt 500 ]; do i=$$((i + 1)); done; echo $$i >$@"
    }' >Makefile
}

document() { # doc.ps
    awk 'BEGIN {
        print "%!PS"
        for (page = 0; page < 4; page++) {
            print "/Times-Roman findfont 12 scalefont setfont"
            for (i = 0; i < 50; i++) print 50, 50 + i * 14, "moveto (line " i " of page " page ") show"
            for (i = 0; i < 99; i++) print 300, 400, i * 2, "0 360 arc stroke"
            print "showpage"
        }
    }' >doc.ps
}

packets() { # packets.pcap
    head -c 60000 "$inputs/text" | od -A x -t x1 -w500 -v | awk '{ $1 = "000000"; print }' |
        text2pcap -q -u 1000,2000 - packets.pcap 2>/dev/null
}

# --- programs ----------------------------------------------------------------------------------------------------------

c_project() { # program.c: four threads; and a CMakeLists.txt with tests
    cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *n)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        sum += i % (long)n;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 2));
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
}
END
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(Threads REQUIRED)
add_executable(program program.c)
target_link_libraries(program Threads::Threads)
enable_testing()
foreach(i RANGE 11)
    add_test(NAME t${i} COMMAND program)
endforeach()
END
}

go_program() { # program.go
    export GOTOOLCHAIN=local GOFLAGS=-mod=mod GOCACHE="$inputs/go" GOTELEMETRY=off
    cat >program.go <<'END'
package main

import (
    "fmt"
    "sync"
)

func main() {
    var wg sync.WaitGroup
    var mu sync.Mutex
    sum := 0
    for i := 0; i < 8; i++ {
        wg.Add(1)
        go func() {
            defer wg.Done()
            for k := 0; k < 100000; k++ {
                mu.Lock()
                sum += k % 7
                mu.Unlock()
            }
        }()
    }
    wg.Wait()
    fmt.Println(sum)
}
END
}

rust_program() { # program.rs
    export RUSTUP_HOME="${RUSTUP_HOME:-$own_home/.rustup}" CARGO_HOME="$PWD/cargo"
    cat >program.rs <<'END'
use std::sync::{mpsc, Arc, Condvar, Mutex, RwLock};
use std::thread;
fn main() {
    let state = Arc::new((Mutex::new(0u64), Condvar::new(), RwLock::new(3u64)));
    let (tx, rx) = mpsc::channel();
    let threads: Vec<_> = (0..4u64)
        .map(|n| {
            let (state, tx) = (state.clone(), tx.clone());
            thread::spawn(move || {
                for i in 0..5000 {
                    *state.0.lock().unwrap() += i % (n + 2) * *state.2.read().unwrap();
                    state.1.notify_one();
                }
                tx.send(n).unwrap();
            })
        })
        .collect();
    println!("{}", rx.iter().take(4).sum::<u64>());
    threads.into_iter().for_each(|t| t.join().unwrap());
    println!("{}", state.0.lock().unwrap());
}
END
}
