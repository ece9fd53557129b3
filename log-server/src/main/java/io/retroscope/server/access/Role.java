package io.retroscope.server.access;

/** A permission that a token may have. */
public enum Role {
  /** To send events. */
  WRITE,
  /** To read what is stored. */
  READ,
  /** To change what is stored and to stop other users' work; includes {@link #READ}. */
  ADMIN
}
