; expect sat
(set-logic {QF_BV})
(echo "sat")
(echo "(error ""not an error"")")
(declare-fun p () Bool)
(assert p)
(check-sat)
(exit)
