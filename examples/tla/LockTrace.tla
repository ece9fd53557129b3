----------------------------- MODULE LockTrace -----------------------------
\* Whether a recorded run is a behaviour of Lock. Trace.tla is written by export.
EXTENDS Trace

L == INSTANCE Lock WITH
       holders <- {n \in DOMAIN lease_holds : lease_holds[n]}

Conforms == L!Spec
=============================================================================
