; soft 1
; wall 20
(set-logic {QF_BV})
(declare-fun a () (_ BitVec 64))
(declare-fun b () (_ BitVec 64))
(assert (= (bvmul ((_ zero_extend 64) a) ((_ zero_extend 64) b)) ((_ zero_extend 1) (_ bv170141183460469231713240559642174554111 127))))
(assert (bvult (_ bv1 64) a))
(assert (bvult (_ bv1 64) b))
(check-sat)
(get-info :reason-unknown)
(exit)
