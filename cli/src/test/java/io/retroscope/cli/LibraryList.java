// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lists of libraries from which the launcher selects one by command. */
enum LibraryList {
  CLIENT,
  SERVER,
  DEMO;

  /** The name in the names of files. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The names of the jars, as the build has listed them. */
  List<String> jars() throws IOException {
    String list = Files.readString(Path.of("target", "lists", word()));
    return Arrays.stream(list.strip().split(":", -1)).map(jar -> jar.replace("lib/", "")).toList();
  }

  /** The command's own classes and the libraries in the list: nothing else. */
  String classPath() throws IOException {
    return Stream.concat(
            Stream.of(Path.of("target", "classes").toAbsolutePath()),
            jars().stream().map(LibraryList::onClassPath))
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The jar as this process has it; modules of this build may be folders of classes. */
  private static Path onClassPath(String jar) {
    String module = jar.replaceFirst("-[0-9].*", "").replaceFirst("^example-", "examples/");
    return endingWith(Path.of(jar))
        .or(() -> endingWith(Path.of(module, "target", "classes")))
        .orElseThrow(() -> new AssertionError(jar + " is not on the class path"));
  }

  private static Optional<Path> endingWith(Path end) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(Path::of)
        .filter(path -> path.endsWith(end))
        .findFirst();
  }
}
