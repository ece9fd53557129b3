package io.retroscope.rql.engine;

/** What whoever sends a statement may do. */
public enum Authority {
  /** Ask. */
  READ,
  /** Also change what the server keeps. */
  ADMIN
}
