// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.maven.artifact.versioning.ComparableVersion;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Known vulnerabilities of Maven artifacts, read from a file in the <a
 * href="https://ossf.github.io/osv-schema/">OSV format</a>: one JSON file with an advisory or an
 * array of them, or a folder or a zip of such files.
 */
final class AdvisoryDatabase {
  private static final String ECOSYSTEM = "Maven";

  /** The size of one JSON file; the largest that are published have 2 MB. */
  static final int MAX_FILE_BYTES = 32 << 20;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Map<String, List<JsonNode>> advisories = new HashMap<>();
  private final Set<String> ids = new HashSet<>();
  private String lastChange = "";

  /** An advisory that concerns one version of an artifact. */
  record Finding(String id, String artifact, String version, String summary) {
    @Override
    public String toString() {
      return "%s %s %s: %s".formatted(id, artifact, version, summary);
    }
  }

  /**
   * Reads a database.
   *
   * @throws IOException if it cannot be read, or has no advisory of a Maven artifact: nothing could
   *     be found in it
   */
  static AdvisoryDatabase read(Path database) throws IOException {
    AdvisoryDatabase read = new AdvisoryDatabase();
    if (Files.isDirectory(database)) {
      try (Stream<Path> files = Files.walk(database)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
          try (InputStream in = Files.newInputStream(file)) {
            read.add(file.toString(), in);
          }
        }
      }
    } else if (database.toString().endsWith(".zip")) {
      read.addZip(database);
    } else {
      try (InputStream in = Files.newInputStream(database)) {
        read.add(database.toString(), in);
      }
    }
    if (read.ids.isEmpty()) {
      throw new IOException(database + " has no advisory of the ecosystem " + ECOSYSTEM);
    }
    return read;
  }

  private void addZip(Path database) throws IOException {
    try (ZipFile zip = new ZipFile(database.toFile())) {
      for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements(); ) {
        ZipEntry entry = e.nextElement();
        if (entry.getName().endsWith(".json")) {
          try (InputStream in = zip.getInputStream(entry)) {
            add(database + "/" + entry.getName(), in);
          }
        }
      }
    }
  }

  private void add(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
    if (bytes.length > MAX_FILE_BYTES) {
      throw new IOException(name + " has more than " + (MAX_FILE_BYTES >> 20) + " MiB");
    }
    JsonNode root;
    try {
      root = JSON.readTree(bytes);
    } catch (RuntimeException e) {
      throw new IOException(name + " is not JSON: " + e.getMessage(), e);
    }
    for (JsonNode advisory : root.isArray() ? root : List.of(root)) {
      add(advisory);
    }
  }

  private void add(JsonNode advisory) {
    if (advisory.has("withdrawn")) {
      return;
    }
    for (JsonNode affected : advisory.path("affected")) {
      if (affected.path("package").path("ecosystem").asString("").equals(ECOSYSTEM)) {
        String artifact = affected.path("package").path("name").asString("");
        advisories.computeIfAbsent(artifact, name -> new ArrayList<>()).add(advisory);
        ids.add(advisory.path("id").asString(""));
      }
    }
    String change = advisory.path("modified").asString("");
    lastChange = change.compareTo(lastChange) > 0 ? change : lastChange;
  }

  /** The number of advisories of Maven artifacts. */
  int size() {
    return ids.size();
  }

  /** The time of the last change of an advisory; later vulnerabilities cannot be found. */
  String lastChange() {
    return lastChange;
  }

  /** Returns the advisories that concern a version of {@code group:artifact}. */
  List<Finding> of(String artifact, String version) {
    return advisories.getOrDefault(artifact, List.of()).stream()
        .filter(advisory -> concerns(advisory, artifact, version))
        .map(
            advisory ->
                new Finding(
                    advisory.path("id").asString(""),
                    artifact,
                    version,
                    advisory.path("summary").asString("")))
        .distinct()
        .toList();
  }

  private static boolean concerns(JsonNode advisory, String artifact, String version) {
    for (JsonNode affected : advisory.path("affected")) {
      boolean same =
          affected.path("package").path("ecosystem").asString("").equals(ECOSYSTEM)
              && affected.path("package").path("name").asString("").equals(artifact);
      if (same && contains(affected, version)) {
        return true;
      }
    }
    return false;
  }

  /**
   * An entry that names neither versions nor their ranges says nothing, so that it concerns all:
   * commits are not versions.
   */
  private static boolean contains(JsonNode affected, String version) {
    boolean decides = !affected.path("versions").isEmpty();
    boolean contains = false;
    for (JsonNode listed : affected.path("versions")) {
      contains |= listed.asString("").equals(version);
    }
    for (JsonNode range : affected.path("ranges")) {
      if (!range.path("type").asString("").equals("GIT")) {
        decides = true;
        contains |= isIn(range, new ComparableVersion(version));
      }
    }
    return contains || !decides;
  }

  /** An end of a range: from {@code introduced} on, until {@code fixed}, or after the last one. */
  private record End(ComparableVersion version, boolean affects, boolean isInclusive) {}

  private static boolean isIn(JsonNode range, ComparableVersion version) {
    List<End> ends = new ArrayList<>();
    boolean affected = false;
    for (JsonNode event : range.path("events")) {
      affected |= event.path("introduced").asString("").equals("0"); // the first of all versions
      addEnd(ends, event.path("introduced"), true, true);
      addEnd(ends, event.path("fixed"), false, true);
      addEnd(ends, event.path("last_affected"), false, false);
    }
    ends.sort(Comparator.comparing(End::version));
    for (End end : ends) {
      int order = version.compareTo(end.version());
      if (order > 0 || (order == 0 && end.isInclusive())) {
        affected = end.affects();
      }
    }
    return affected;
  }

  private static void addEnd(
      List<End> ends, JsonNode version, boolean affects, boolean isInclusive) {
    String text = version.asString("");
    if (!text.isEmpty() && !text.equals("0")) {
      ends.add(new End(new ComparableVersion(text), affects, isInclusive));
    }
  }
}
