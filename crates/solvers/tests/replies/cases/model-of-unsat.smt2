; expect unsat
(set-option :produce-models true)
(set-logic {QF_BV})
(declare-fun p () Bool)
(assert p)
(assert (not p))
(check-sat)
(get-model)
(exit)
