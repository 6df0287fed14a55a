; expect sat
(set-option :print-success true)
(set-logic {QF_BV})
(declare-fun p () Bool)
(assert p)
(check-sat)
(exit)
