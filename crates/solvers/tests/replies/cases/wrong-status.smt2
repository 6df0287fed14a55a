; expect sat
(set-info :status unsat)
(set-logic {QF_BV})
(declare-fun p () Bool)
(assert p)
(check-sat)
(exit)
