; expect sat
(set-option :produce-models true)
(set-logic {QF_BV})
(declare-fun x () (_ BitVec 4))
(assert (bvult #xe x))
(check-sat)
(get-model)
(exit)
