; expect sat
(set-logic {QF_BV})
(declare-fun p () Bool)
(declare-fun q () Bool)
(assert (or p q))
(assert (not p))
(check-sat)
(exit)
