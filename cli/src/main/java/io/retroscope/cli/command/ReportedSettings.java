// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The settings of a process as lines of a report that strangers read. Only values of the listed
 * names are shown, so that a setting that is added later is hidden until it is listed.
 */
final class ReportedSettings {
  private static final String PREFIX = "RETROSCOPE_";
  private static final String HIDDEN = "(set, not shown)";

  /** Names without the prefix whose values are numbers, words, or names of files and nodes. */
  private static final Set<String> SHOWN =
      Set.of(
          "APPLICATION",
          "CA",
          "CERT",
          "CLOSE_TIMEOUT_MILLIS",
          "DEBUG",
          "FILE",
          "FSYNC",
          "HEARTBEAT_MILLIS",
          "JMX",
          "KAFKA_SECURITY_PROTOCOL",
          "KAFKA_TOPIC",
          "KEY",
          "MAX_MEMORY_BYTES",
          "MAX_OFFSET_MILLIS",
          "MAX_SPILL_BYTES",
          "MAX_TEXT_LENGTH",
          "MESSAGES",
          "NODE",
          "REMOTE_POLICY",
          "RESET_CLOCK",
          "RING_CAPACITY",
          "RING_MAX_BYTES",
          "SERVER",
          "STATE_DIRECTORY",
          "STRICT",
          "TOKEN_FILE",
          "TRACE",
          "TRUST");

  /** Variables of others that change the output. */
  private static final Set<String> SURROUNDINGS =
      Set.of("LANG", "LC_ALL", "NO_COLOR", "TERM", "TZ");

  private ReportedSettings() {}

  /** Lists settings in the order of their names. */
  static List<String> of(Map<String, String> environment) {
    List<String> lines = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX) || name.equals("JAVA_TOOL_OPTIONS")) {
                lines.add(name + "=" + shown(name, value));
              } else if (SURROUNDINGS.contains(name)) {
                lines.add(name + "=" + value);
              }
            });
    return lines;
  }

  /** An address may have a user and a password before an at sign, or a key in its query. */
  private static String shown(String name, String value) {
    boolean known = name.startsWith(PREFIX) && SHOWN.contains(name.substring(PREFIX.length()));
    boolean mayHoldCredentials = value.indexOf('@') >= 0 || value.indexOf('?') >= 0;
    boolean isPem = value.contains("-----BEGIN");
    return known && !mayHoldCredentials && !isPem ? value : HIDDEN;
  }
}
