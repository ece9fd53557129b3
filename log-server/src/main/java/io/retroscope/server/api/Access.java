// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.access.Caller;
import io.retroscope.server.access.Role;
import java.util.Locale;

/** The permission that a route requires. */
enum Access {
  /** None; for routes that show only whether the process works. */
  OPEN,
  /** To read stored events. */
  READ,
  /** To send events. */
  WRITE,
  /** To acknowledge and mute alerts, and to test their receivers. */
  ALERTS,
  /** To change stored data, and to stop other users' work. */
  ADMIN;

  /** The roles of which one is sufficient, in words. */
  String roles() {
    return this == ALERTS ? "write or admin" : name().toLowerCase(Locale.ROOT);
  }

  boolean isGrantedTo(Caller caller) {
    return switch (this) {
      case OPEN -> true;
      case READ -> caller.has(Role.READ);
      case WRITE -> caller.has(Role.WRITE);
      case ALERTS -> caller.has(Role.WRITE) || caller.has(Role.ADMIN);
      case ADMIN -> caller.has(Role.ADMIN);
    };
  }
}
