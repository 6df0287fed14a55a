#!/bin/sh
# A solver that misbehaves on command: the first argument says how, when it is asked its first question.
# Otherwise it reads commands line by line, answers `sat` to every query, and echoes what it is told to echo.

how=$1

answer() {
    case $how in
    honest | model-crash) echo sat ;;
    unsat) echo unsat ;;
    twice) echo sat; echo unsat ;;
    twice-late) echo sat; late=unsat ;;
    odd-check) echo '(error "odd")' ;;
    odd-after) echo sat; echo '(error "odd")' ;;
    twice-once) echo sat; if [ -z "$seen" ]; then echo unsat; fi; seen=yes ;;
    silent-once) if [ -n "$seen" ]; then echo unsat; fi; seen=yes ;;
    first-fails) if [ -n "$asserted" ]; then echo unsat; else echo '(error "odd")'; fi ;;
    first-silent) if [ -n "$asserted" ]; then echo unsat; fi ;;
    nonsense) echo 'maybe (or not' ;;
    silent) ;;
    empty-exit) exit 0 ;;
    exit-code) exit 7 ;;
    hang) sleep 1000 ;;
    hang-deaf) trap '' TERM INT HUP XCPU; while :; do sleep 1000; done ;;
    late) sleep 1.5; echo sat ;;
    spin) while :; do :; done ;;
    flood) while :; do echo flood flood flood flood flood flood flood; done ;;
    flood-err) while :; do echo flood flood flood flood flood flood flood >&2; done ;;
    flood-model) echo sat ;;
    fork) sleep 1000 & sleep 1000 & echo sat ;;
    fork-exit) sleep 1000 & echo sat; exit 0 ;;
    fork-away) setsid sleep 1000 & echo sat; exit 0 ;;
    fork-away-hang) setsid sleep 1000 & sleep 1000 ;;
    close) exec >&-; sleep 1000 ;;
    close-all) exec <&- >&- 2>&-; sleep 1000 ;;
    eat) tail /dev/zero ;;
    eat-say) echo '(error "out of memory")'; exit 101 ;;
    bad-alloc) echo "terminate called after throwing an instance of 'std::bad_alloc'" >&2; kill -ABRT $$ ;;
    signal-*) kill -"${how#signal-}" $$; sleep 1 ;;
    sat-signal-*) echo sat; sleep 0.05; kill -"${how#sat-signal-}" $$; sleep 1 ;;
    assertion) echo 'solver: src/core/engine.cpp:42: void f(): Assertion `ok()'"'"' failed.' >&2; kill -ABRT $$ ;;
    fatal) printf 'Fatal failure within void g() at src/theory/thing.cpp:7\nCheck failure\n\n x\n' >&2; kill -ABRT $$ ;;
    sanitizer) printf '==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in h() /src/a.cpp:3:1\n' >&2; exit 1 ;;
    leak) echo sat; leaking=yes ;;
    litter) mkdir -p litter/deep; echo >litter/deep/file; pwd >&2; echo sat ;;
    error) echo '(error "line 1 column 2: unknown constant y")'; echo sat ;;
    unsupported) echo unsupported ;;
    invalid-model) echo sat; echo '(error "line 1 column 2: an invalid model was generated")' ;;
    timeout) echo timeout; exit 0 ;;
    bytes) printf 'sat\377\376\000\n' ;;
    partial) printf sa; exit 0 ;;
    wait-child) (kill -SEGV "$(sh -c 'echo $PPID')"); exit 139 ;;
    esac
}

if [ "$how" = --version ]; then echo "fake 1.2.3"; exit 0; fi
if [ "$how" = no-read ]; then sleep 1000; fi
if [ -n "$2" ]; then exec <"$2"; fi

while IFS= read -r line; do
    if [ -n "$late" ]; then echo "$late"; late=; fi
    case $line in *'(assert refused)'*) echo '(error "line 1 column 1: unknown constant refused")' ;; esac
    case $line in *'(assert p)'*) asserted=yes ;; *'(pop'* | *'(reset)'*) asserted= ;; esac
    case $line in *'(assert odd)'*) echo '(error "odd")' ;; esac
    # One command per line and its marker: a line of a fresh script holds all of them, so commands come in order.
    while [ -n "$line" ]; do
        case $line in
        '(check-sat)'*) answer; line=${line#'(check-sat)'} ;;
        '(get-model)'*)
            if [ "$how" = flood-model ]; then while :; do echo '(model'; done; fi
            if [ "$how" = model-crash ]; then kill -SEGV $$; sleep 1; fi
            echo '((define-fun p () Bool true))'; line=${line#'(get-model)'} ;;
        '(echo "'*) line=${line#'(echo "'}; printf '%s\n' "${line%%'")'*}"; line=${line#*'")'} ;;
        '(exit)'*) exit 0 ;;
        *) line=${line#?} ;;
        esac
    done
done
if [ -n "$leaking" ]; then echo '==1==ERROR: LeakSanitizer: detected memory leaks' >&2; exit 23; fi
exit 0
