// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.util.Set;

/**
 * The sender of a request.
 *
 * @param name the name of its token, for display
 * @param roles its permissions
 * @param identified whether it has sent a valid token, which no web page does by itself
 * @param quota the account of its usage
 */
public record Caller(String name, Set<Role> roles, boolean identified, Quota quota) {
  /** The caller if no tokens are configured: every request has all permissions. */
  static final Caller ANYBODY = new Caller("anybody", Set.of(Role.values()), false, Quota.NONE);

  /** A caller without a valid token. */
  static final Caller STRANGER = new Caller("an unknown caller", Set.of(), false, Quota.NONE);

  /** Copies the roles. */
  public Caller {
    roles = Set.copyOf(roles);
  }

  /** Whether it has the role, or one that includes it. */
  public boolean has(Role role) {
    return roles.contains(role) || (role == Role.READ && roles.contains(Role.ADMIN));
  }
}
