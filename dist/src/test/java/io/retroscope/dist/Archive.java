// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A folder as a user unpacks it. */
enum Archive {
  FULL("dist.full"),
  CLIENT("dist.client"),
  /** With its own Java; made with the archives only. */
  IMAGE("dist.image");

  private final String property;

  Archive(String property) {
    this.property = property;
  }

  boolean exists() {
    return !System.getProperty(property, "").isEmpty();
  }

  Path folder() {
    return Path.of(System.getProperty(property));
  }

  Path file(String name) {
    return folder().resolve(name);
  }

  /** The names of the libraries. */
  List<String> libraries() {
    try (Stream<Path> files = Files.list(file("lib"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
