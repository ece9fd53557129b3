// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The agent's options, {@code node=zk1,server=http://127.0.0.1:7340,trace=/r1;/app/}, or
 * environment variables. The recorder reads its other settings from its own environment variables.
 * Immutable.
 *
 * @param node the server's name in every query
 * @param server the log server, or the Kafka topic, to send events to, if any
 * @param file the file to write events to, if any
 * @param clockSkewMicros an offset added to the physical clock, to simulate skew; usually 0
 */
record AgentOptions(
    String node,
    Optional<URI> server,
    Optional<Path> file,
    TracedZnodes traced,
    long clockSkewMicros) {
  private static final Map<String, String> VARIABLES =
      Map.of(
          "node", "RETROSCOPE_NODE",
          "server", "RETROSCOPE_SERVER",
          "file", "RETROSCOPE_FILE",
          "trace", "RETROSCOPE_TRACE");

  private static final String CLOCK_SKEW = "clockSkewMicros";

  private static final List<String> OPTIONS =
      List.of("node", "server", "file", "trace", CLOCK_SKEW);
  private static final String TRACE_ALL = "/";

  /**
   * Parses the agent's argument; options that it does not contain are read from the environment.
   *
   * @throws IllegalArgumentException if an option is unknown, missing or invalid; the message names
   *     it
   */
  static AgentOptions parse(@Nullable String argument, Map<String, String> environment) {
    Map<String, String> values = new HashMap<>();
    VARIABLES.forEach(
        (option, variable) -> {
          String value = environment.get(variable);
          if (value != null) {
            values.put(option, value);
          }
        });
    values.putAll(pairs(argument == null ? "" : argument));
    Optional<URI> server = Optional.ofNullable(values.get("server")).map(AgentOptions::address);
    Optional<Path> file = Optional.ofNullable(values.get("file")).map(Path::of);
    if (server.isPresent() == file.isPresent()) {
      throw new IllegalArgumentException(
          "set either server= or file= as the destination of events");
    }
    return new AgentOptions(
        required(values, "node"),
        server,
        file,
        TracedZnodes.parse(values.getOrDefault("trace", TRACE_ALL)),
        micros(values.getOrDefault(CLOCK_SKEW, "0")));
  }

  private static Map<String, String> pairs(String argument) {
    Map<String, String> pairs = new HashMap<>();
    for (String pair : argument.split(",", -1)) {
      if (pair.isBlank()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String option = equals < 0 ? pair : pair.substring(0, equals);
      if (equals < 0 || !OPTIONS.contains(option)) {
        throw new IllegalArgumentException(
            "unknown option \"" + pair + "\"; there are " + String.join(", ", OPTIONS));
      }
      pairs.put(option, pair.substring(equals + 1));
    }
    return pairs;
  }

  private static String required(Map<String, String> values, String option) {
    String value = values.getOrDefault(option, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          option + "= is missing (or the environment variable " + VARIABLES.get(option) + ")");
    }
    return value;
  }

  /**
   * Parses an address, whose hosts are separated by semicolons here, because commas separate
   * options.
   */
  private static URI address(String text) {
    try {
      URI uri = URI.create(text.replace(';', ','));
      if (uri.getScheme() != null && uri.getRawAuthority() != null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "server: not an address such as http://127.0.0.1:7340 or"
            + " kafka://127.0.0.1:9092/retroscope: \""
            + text
            + "\"");
  }

  private static long micros(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "clockSkewMicros: not a whole number: \"" + text + "\"", e);
    }
  }
}
