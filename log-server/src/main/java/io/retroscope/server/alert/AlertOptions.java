// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The options of alerts. Immutable.
 *
 * @param rules the folder of files of rules
 * @param receivers the file of receivers
 */
public record AlertOptions(Optional<Path> rules, Optional<Path> receivers) {
  /** No files: alerts are created by clients, and nothing is sent. */
  public static final AlertOptions NONE = new AlertOptions(Optional.empty(), Optional.empty());
}
