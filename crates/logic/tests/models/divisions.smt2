; A division of several numbers is one division after another; each may be by zero.
(declare-fun p (Int) Bool)
(declare-const a Int)
(declare-const b Int)
(assert (p (+ a b 2)))
(assert (not (p (div a b 2))))
(check-sat)
