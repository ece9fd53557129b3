// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The files of rules of one test. Used by one thread. */
final class RuleFiles {
  private final RuleSet rules = new RuleSet();
  private final Set<String> names = new LinkedHashSet<>();

  /**
   * Reads files.
   *
   * @param beside the class beside which resources are looked up
   * @throws IllegalArgumentException if there is no such file
   * @throws IOException if one cannot be read
   */
  void add(Class<?> beside, Collection<String> files) throws IOException {
    for (String file : files) {
      add(beside, file);
    }
  }

  private void add(Class<?> beside, String file) throws IOException {
    URL resource = beside.getResource(file);
    Path path = Path.of(file);
    if (resource == null && !Files.isRegularFile(path)) {
      throw new IllegalArgumentException(
          "there are no rules \"%s\": neither a resource beside %s nor the file %s"
              .formatted(file, beside.getName(), path.toAbsolutePath()));
    }
    String name = resource == null ? path.toString() : name(resource, file);
    if (!names.add(name)) {
      return;
    }
    if (resource == null) {
      rules.add(name, Files.readString(path));
      return;
    }
    try (InputStream in = resource.openStream()) {
      rules.add(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** The path of a resource that is a file, so that a shell can be given it. */
  private static String name(URL resource, String file) {
    if (!resource.getProtocol().equals("file")) {
      return file;
    }
    Path path = Path.of(URI.create(resource.toString()));
    Path here = Path.of("").toAbsolutePath();
    return (path.startsWith(here) ? here.relativize(path) : path).toString();
  }

  RuleSet rules() {
    return rules;
  }

  /** The names for the command line, separated by blanks. */
  String names() {
    return String.join(" ", names);
  }
}
