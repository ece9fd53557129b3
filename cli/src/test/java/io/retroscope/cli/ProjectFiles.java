// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The files of the project that are not made by a build. The output of a build is not even looked
 * at, because files come and go there while other tests run.
 */
public final class ProjectFiles {
  private static final Set<String> MADE = Set.of("target", ".git", "node_modules");

  private ProjectFiles() {}

  /** The files below a folder, in the order of their names. */
  public static List<Path> in(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            return MADE.contains(name) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    return files;
  }
}
