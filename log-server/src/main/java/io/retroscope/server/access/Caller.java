package io.retroscope.server.access;

import java.util.Set;

/**
 * The sender of a request.
 *
 * @param name the name of its token, for people
 * @param roles what it may do
 * @param identified whether it has shown a valid token; no web page does so on its own
 * @param quota what it uses
 */
public record Caller(String name, Set<Role> roles, boolean identified, Quota quota) {
  /** A caller where no tokens are set: everybody who reaches the server may do everything. */
  static final Caller ANYBODY = new Caller("anybody", Set.of(Role.values()), false, Quota.NONE);

  /** A caller without a valid token. */
  static final Caller STRANGER = new Caller("a stranger", Set.of(), false, Quota.NONE);

  /** Copies the roles. */
  public Caller {
    roles = Set.copyOf(roles);
  }

  /** Whether it may do what needs the role. */
  public boolean has(Role role) {
    return roles.contains(role) || (role == Role.READ && roles.contains(Role.ADMIN));
  }
}
