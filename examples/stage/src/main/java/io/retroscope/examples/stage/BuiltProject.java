// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The folder of the built project, with the files that child processes need. Immutable.
 *
 * @param root the folder with all modules
 */
public record BuiltProject(Path root) {
  private static final String HOME_PROPERTY = "retroscope.home";
  private static final String LAUNCHER = "examples/stage/target/launcher";

  /**
   * Locates the built project: the folder of the system property {@code retroscope.home}, or the
   * nearest one above this class's own files or above the working directory.
   *
   * @param needed files and folders that must be there, relative to the project's folder
   * @throws StageException if none of these has them
   */
  public static BuiltProject locate(String... needed) throws StageException {
    List<Path> starts = new ArrayList<>();
    String home = System.getProperty(HOME_PROPERTY);
    if (home != null) {
      starts.add(Path.of(home));
    } else {
      ownFiles().ifPresent(starts::add);
      starts.add(Path.of(""));
    }
    for (Path start : starts) {
      for (Path folder = start.toAbsolutePath(); folder != null; folder = folder.getParent()) {
        BuiltProject project = new BuiltProject(folder);
        if (project.has(LAUNCHER) && Arrays.stream(needed).allMatch(project::has)) {
          return project;
        }
      }
    }
    throw new StageException(
        List.of(needed)
            + " are not built in or above "
            + starts.stream().map(start -> start.toAbsolutePath().toString()).toList()
            + ": run 'mvn package -DskipTests' in the project's folder");
  }

  /** The jar or the folder from which this class was loaded. */
  private static Optional<Path> ownFiles() {
    CodeSource source = BuiltProject.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? Optional.empty() : Optional.of(Path.of(source.getLocation().toURI()));
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      return Optional.empty();
    }
  }

  private boolean has(String file) {
    return Files.exists(file(file));
  }

  /** A file or folder of the project. */
  public Path file(String relative) {
    return root.resolve(relative);
  }

  /** The folder with the jar of the launcher of child processes, and nothing else. */
  public Path launcher() {
    return file(LAUNCHER);
  }

  /**
   * The class path of this virtual machine, for child processes that run classes of the
   * demonstration itself.
   *
   * @param more further entries, such as a folder's jars
   */
  public static String ownClassPath(Path... more) {
    String own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.isEmpty())
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator));
    return Arrays.stream(more)
        .map(entry -> File.pathSeparator + entry)
        .collect(Collectors.joining("", own, ""));
  }
}
