package io.retroscope.server.api;

import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Role;

/** What a request must be allowed to do. */
enum Access {
  /** Nothing: whether the process lives, and no more. */
  OPEN,
  /** To read what is stored. */
  READ,
  /** To send events. */
  WRITE,
  /** To change what is stored, and to stop other users' work. */
  ADMIN;

  boolean isGrantedTo(Caller caller) {
    return switch (this) {
      case OPEN -> true;
      case READ -> caller.has(Role.READ);
      case WRITE -> caller.has(Role.WRITE);
      case ADMIN -> caller.has(Role.ADMIN);
    };
  }
}
