#!/bin/sh
# A solver with four bugs: it says unsat to whatever has the word keep, crashes at one place if there is a mod by 17,
# at another if there is a div, and at a third as soon as it reads (abs 17). It reads lines and adds to the file of its first argument what it is asked about.
# With a second argument it contradicts itself: sat to keep, unsat to whatever else has an abs.

log=$1
text=
[ "$log" = --version ] && { echo 'picky 1.0'; exit 0; }

crash() {
    echo "picky: $1: check: Assertion \`sound' failed." >&2
    kill -ABRT $$
}

while IFS= read -r line; do
    case $line in *'(reset)'*) text= ;; esac
    text="$text $line"
    case $line in *'(abs 17)'*) crash core.c:5 ;; esac
    case $line in *'(check-sat'*)
        echo "$text" | sed 's/(echo "[^"]*")//g' >> "$log"
        case $text in
        *'(mod '*' 17)'*) crash core.c:7 ;;
        *'(div '*) crash core.c:9 ;;
        *keep*) [ "$2" ] && echo sat || echo unsat ;;
        *'(abs '*) [ "$2" ] && echo unsat || echo sat ;;
        *) echo sat ;;
        esac ;;
    esac
    case $line in *'(echo "'*)
        line=${line##*'(echo "'}
        echo "${line%%'"'*}" ;;
    esac
    case $line in *'(exit)'*) exit 0 ;; esac
done
