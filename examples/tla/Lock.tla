------------------------------- MODULE Lock -------------------------------
\* A lock that at most one node holds.
EXTENDS FiniteSets

VARIABLE holders

Init == holders = {}

Acquire(n) == holders = {} /\ holders' = {n}

Release(n) == n \in holders /\ holders' = holders \ {n}

Next == \E n \in {"a", "b"} : Acquire(n) \/ Release(n)

Spec == Init /\ [][Next]_holders
=============================================================================
