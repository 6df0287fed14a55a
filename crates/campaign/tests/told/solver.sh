#!/bin/sh
# A solver that is told the answer by the names of constants: told-sat-N means sat with N, told-unsat-N means unsat.
# The first argument says how it lies, and the second about which N: those that leave that remainder by 100.
# It lies under --engine=2 and refuses --engine=3. It reads lines; a line holds at most one question and one echo, which come in this order.

lie=$1
remainder=$2
answer=unknown
number=
name=
pushed=no
asked=0
[ "$lie" = --version ] && { echo 'told 1.0'; exit 0; }
for word; do
    case $word in
    --engine=2) lie=flip-all ;;
    --engine=3) echo '(error "unknown option: there is no such engine")'; exit 1 ;;
    esac
done

told() {
    name=${line#*told-}
    name=told-${name%%[ )]*}
    number=${name##*-}
    case $name in told-sat-*) answer=sat ;; *) answer=unsat ;; esac
    value=$number
    [ "$lie" = flip-all ] && flip
    [ $((number % 100)) = "$remainder" ] || return
    case $lie in
    flip) flip ;;
    flip-live) [ "$3" = live ] && flip ;;
    flip-pushed) [ "$pushed" = yes ] && flip ;;
    flip-after) [ $asked -gt 0 ] && flip ;;
    model) value=$((number + 1)) ;;
    esac
}

flip() { if [ $answer = sat ]; then answer=unsat; else answer=sat; fi; }

while IFS= read -r line; do
    case $line in *'(push '*) pushed=yes ;; esac
    case $line in *'(reset)'*) pushed=no asked=0 ;; esac
    case $line in *'(declare-'*told-*) told "$@" ;; esac
    case $line in *'(check-sat'*)
        if [ "$lie" = crash ] && [ "$answer" = sat ] && [ $((number % 100)) = "$remainder" ]; then
            echo 'told: core.c:7: check: Assertion `honest'"'"' failed.' >&2
            kill -ABRT $$
        fi
        asked=$((asked + 1))
        echo $answer ;;
    esac
    case $line in *'(get-model)'*) echo "((define-fun $name () Int $value))" ;; esac
    case $line in *'(get-unsat-core)'*) echo '(low high)' ;; esac
    case $line in *'(echo "'*)
        line=${line##*'(echo "'}
        echo "${line%%'"'*}" ;;
    esac
    case $line in *'(exit)'*) exit 0 ;; esac
done
