// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.Event;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The default name of a node, {@code <application>@<host>}, so that two services on one host are
 * two nodes.
 */
final class NodeName {
  private static final int MAX_APPLICATION_LENGTH = Event.MAX_NODE_LENGTH / 2;
  private static final Pattern CLASS = Pattern.compile("(?:[\\w.]+/)?[\\w.$]+");
  private static final Pattern JAR = Pattern.compile("(.*?)\\.jar(?= |$)");

  /**
   * The version at the end of a jar's name, which is removed so that an upgrade does not rename the
   * node.
   */
  private static final Pattern VERSION = Pattern.compile("-\\d+\\.\\d.*$");

  private NodeName() {}

  /**
   * The name derived from the process's settings, framework or command line. Never fails.
   *
   * @param host the host's name, null if it has none
   * @param problems receives a message if the host has no name
   */
  static String byDefault(
      Settings settings, Supplier<@Nullable String> host, List<String> problems) {
    String application =
        settings
            .text("application")
            .or(() -> settings.property("spring.application.name"))
            .or(() -> settings.variable("SPRING_APPLICATION_NAME"))
            .or(() -> settings.property("sun.java.command").map(NodeName::ofCommand))
            .filter(name -> !name.isBlank())
            .orElse("java");
    String name = host.get();
    if (name == null || name.isBlank()) {
      name = "localhost";
      problems.add(
          "the host has no name, so this node is named after localhost: set "
              + Settings.names("node")
              + " to the node's name");
    }
    return cut(cut(application, MAX_APPLICATION_LENGTH) + "@" + name, Event.MAX_NODE_LENGTH);
  }

  private static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length);
  }

  /**
   * The main class or jar of a command line in the form kept by the JVM: unquoted, with its
   * arguments.
   */
  static String ofCommand(String command) {
    String first = command.split(" ", 2)[0];
    Matcher jar = JAR.matcher(command);
    boolean isClass = CLASS.matcher(first).matches() && !first.endsWith(".jar");
    if (isClass || !jar.find()) {
      return lastPart(first, "[./$\\\\]");
    }
    return VERSION.matcher(lastPart(jar.group(1), "[/\\\\]")).replaceFirst("");
  }

  private static String lastPart(String text, String separators) {
    String[] parts = text.split(separators, -1);
    return parts[parts.length - 1];
  }

  /** The machine's name, null if it has none. */
  static @Nullable String ofHost() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
