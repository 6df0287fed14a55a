(set-logic {QF_BV})
(declare-fun p () Bool)
(assert (and p
