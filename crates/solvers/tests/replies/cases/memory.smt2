; memory 128
; wall 30
(set-logic {QF_BV})
(declare-fun a () (_ BitVec 2048))
(declare-fun b () (_ BitVec 2048))
(declare-fun c () (_ BitVec 2048))
(assert (= (bvmul a b) (bvudiv c a)))
(assert (= (bvmul b c) (bvurem a b)))
(assert (not (= (bvmul a c) (bvmul c b))))
(check-sat)
(exit)
