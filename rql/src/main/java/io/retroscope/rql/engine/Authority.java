// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

/** The permissions of the sender of a statement. */
public enum Authority {
  /** Permission to query. */
  READ,
  /** Permission to query, and to acknowledge and mute alerts. */
  WRITE,
  /** Permission to query and to change the data that the server keeps. */
  ADMIN
}
