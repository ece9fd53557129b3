// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

/** A permission that a token may have. */
public enum Role {
  /** To send events. */
  WRITE,
  /** To read stored events. */
  READ,
  /** To change stored data and to stop other users' work; includes {@link #READ}. */
  ADMIN
}
