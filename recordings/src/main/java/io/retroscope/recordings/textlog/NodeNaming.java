// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import com.google.re2j.Matcher;
import io.retroscope.event.Event;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the nodes of text logs are named, where their lines name none. Immutable.
 *
 * @param node the node of all files
 * @param pattern is found in a file's path, and has the group {@code node}
 */
public record NodeNaming(Optional<String> node, Optional<LinearPattern> pattern) {
  /** By the names of files, without folder, ending, date, and the number of a rotated file. */
  public static final NodeNaming BY_FILE = new NodeNaming(Optional.empty(), Optional.empty());

  private static final String GROUP = "node";

  private static final String DATE =
      "[._-](\\d{4}[-._]?\\d{2}[-._]?\\d{2}([T_.-]\\d{2}([-_:.]?\\d{2}){0,2})?|\\d{10})";

  private static final java.util.regex.Pattern COMPRESSION =
      java.util.regex.Pattern.compile("(?i)\\.(gz|zst)$");

  /** The end of a log's name, and what rotation adds to it. */
  private static final java.util.regex.Pattern ENDING =
      java.util.regex.Pattern.compile(
          "(?i)\\.(log|txt|out|err|json|jsonl|ndjson)((\\.\\d{1,5}|\\.old|\\.bak|" + DATE + "))*$");

  private static final java.util.regex.Pattern DATED =
      java.util.regex.Pattern.compile(DATE + "([._-]\\d{1,5})?$");

  private static final java.util.regex.Pattern NUMBERED =
      java.util.regex.Pattern.compile("(.+)\\.\\d{1,5}");

  /** Docker names a file by the container's identity. */
  private static final java.util.regex.Pattern DOCKER =
      java.util.regex.Pattern.compile("([0-9a-f]{12})[0-9a-f]{52}-json");

  /**
   * Checks the pattern.
   *
   * @throws IllegalArgumentException if it has no group {@code node}
   */
  public NodeNaming {
    pattern.ifPresent(
        given -> {
          if (!given.hasGroup(GROUP)) {
            throw new IllegalArgumentException(
                "\"%s\" has no group (?<node>...), which names the node".formatted(given));
          }
        });
  }

  /** Whether lines that name another node are of this one nevertheless. */
  boolean isFixed() {
    return node.isPresent() || pattern.isPresent();
  }

  /**
   * The nodes of files, by their paths.
   *
   * @throws FormatException if the pattern is not found in one
   */
  Map<String, String> nodes(List<String> paths) {
    Map<String, String> nodes = new HashMap<>();
    for (String path : paths) {
      nodes.put(path, node.or(() -> pattern.map(given -> named(given, path))).orElse(""));
    }
    if (!isFixed()) {
      Set<String> names = new HashSet<>();
      paths.forEach(path -> names.add(shortName(path)));
      Map<String, Set<String>> folders = new HashMap<>();
      for (String path : paths) {
        String name = rotated(shortName(path), names);
        folders.computeIfAbsent(name, any -> new HashSet<>()).add(folder(path));
      }
      for (String path : paths) {
        String name = rotated(shortName(path), names);
        boolean isShared = folders.getOrDefault(name, Set.of()).size() > 1;
        nodes.put(path, limited(isShared ? withFolder(path, name) : name));
      }
    }
    return nodes;
  }

  private static String named(LinearPattern pattern, String path) {
    Matcher match = pattern.matcher(path);
    String found = match.find() ? match.group(GROUP) : null;
    if (found == null || found.isEmpty()) {
      throw new FormatException(
          "%s: its name has no node: --node-from \"%s\" does not match".formatted(path, pattern));
    }
    return limited(found);
  }

  private static String limited(String name) {
    return name.length() <= Event.MAX_NODE_LENGTH
        ? name
        : name.substring(name.length() - Event.MAX_NODE_LENGTH);
  }

  private static String folder(String path) {
    return String.valueOf(Path.of(path).toAbsolutePath().normalize().getParent());
  }

  /** The name of a file, and its folder's name. */
  private static String withFolder(String path, String name) {
    Path folder = Path.of(path).toAbsolutePath().normalize().getParent();
    Path last = folder == null ? null : folder.getFileName();
    return last == null ? name : last + "/" + name;
  }

  private static String shortened(java.util.regex.Pattern ending, String name) {
    java.util.regex.Matcher found = ending.matcher(name);
    return found.find() && found.start() > 0 ? name.substring(0, found.start()) : name;
  }

  /**
   * A name without the number of a rotated file. A number may also be a node's, unless there is a
   * file without it.
   */
  private static String rotated(String name, Set<String> names) {
    java.util.regex.Matcher numbered = NUMBERED.matcher(name);
    return numbered.matches() && names.contains(numbered.group(1)) ? numbered.group(1) : name;
  }

  private static String shortName(String path) {
    if (path.equals("-")) {
      return "stdin";
    }
    Path file = Path.of(path).getFileName();
    String name = COMPRESSION.matcher(String.valueOf(file)).replaceFirst("");
    String plain = shortened(DATED, shortened(ENDING, name));
    java.util.regex.Matcher docker = DOCKER.matcher(plain);
    if (docker.matches()) {
      return docker.group(1);
    }
    // Kubernetes names files by the number of restarts, in a folder of the container.
    return plain.chars().allMatch(Character::isDigit) ? withFolder(path, plain) : plain;
  }
}
