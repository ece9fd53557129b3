// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.health;

/** The release of which the running programs are parts. */
public final class Release {
  /** The version, as in the poms. */
  public static final String VERSION = "0.1.0";

  private Release() {}
}
