// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Role;

/** The permission that a route requires. */
enum Access {
  /** None; for routes that show only whether the process works. */
  OPEN,
  /** To read stored events. */
  READ,
  /** To send events. */
  WRITE,
  /** To change stored data, and to stop other users' work. */
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
