package io.retroscope.server.api;

/** What a request must be allowed to do. */
enum Access {
  /** Nothing: whether the process lives, and no more. */
  OPEN,
  /** To read what is stored. */
  READ,
  /** To send events. */
  WRITE,
  /** To change what is stored, and to stop other users' work. */
  ADMIN
}
