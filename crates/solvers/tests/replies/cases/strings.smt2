; expect sat
(set-option :produce-models true)
(set-logic {QF_SLIA})
(declare-fun s () String)
(assert (= (str.len s) 2))
(assert (str.contains s "\u{22}"))
(check-sat)
(get-model)
(exit)
