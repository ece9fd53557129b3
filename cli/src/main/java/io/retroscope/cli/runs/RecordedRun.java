// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.cut.NaturalOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A run of a system.
 *
 * @param name of its file without endings, or of its folder; with the folder around it if two runs
 *     have one name
 * @param path its file of events, or a folder of such files
 */
public record RecordedRun(String name, Path path) {
  /** The most runs of one command. */
  public static final int MAX_RUNS = 100_000;

  /** The endings of files that are beside those of events. */
  private static final Set<String> OTHERS =
      Set.of("html", "rql", "xml", "md", "wav", "mid", "svg", "yml");

  /**
   * The runs of folders: each folder in them is a run, and each file that is not in such a folder.
   * A file is a run. What several paths name is one run.
   *
   * @return in natural order of the folders' names, at least one
   * @throws CommandException if a folder cannot be read, or there are no runs or too many
   */
  public static List<RecordedRun> in(List<Path> folders) {
    Map<Path, Path> byIdentity = new LinkedHashMap<>();
    for (Path folder : folders) {
      runs(folder).forEach(path -> byIdentity.putIfAbsent(identity(path), path));
    }
    List<Path> paths = List.copyOf(byIdentity.values());
    if (paths.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          "no run is in %s: a run is a file of events, or a folder of such files"
              .formatted(String.join(", ", folders.stream().map(Path::toString).toList())));
    }
    if (paths.size() > MAX_RUNS) {
      throw new CommandException(
          ExitCode.USAGE,
          "%,d runs are too many, at most %,d: name fewer folders"
              .formatted(paths.size(), MAX_RUNS));
    }
    long names = paths.stream().map(RecordedRun::plainName).distinct().count();
    boolean isAmbiguous = names < paths.size();
    return paths.stream().map(path -> new RecordedRun(name(path, isAmbiguous), path)).toList();
  }

  /** Its file, or the files in its folder that may have events. */
  public List<Path> files() {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> entries = Files.list(path)) {
      List<Path> files =
          entries
              .filter(entry -> Files.isRegularFile(entry) && isOfEvents(entry))
              .sorted(Comparator.comparing(Path::toString, NaturalOrder.INSTANCE))
              .toList();
      return files.isEmpty() ? List.of(path) : files;
    } catch (IOException e) {
      return List.of(path); // The reading of the run explains it.
    }
  }

  /** The path of the same run that is the same however it is named. */
  public Path identity() {
    return identity(path);
  }

  private static Path identity(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      // The reading of the run explains it.
      return path.toAbsolutePath().normalize();
    }
  }

  private static String name(Path path, boolean withParent) {
    Path parent = path.toAbsolutePath().normalize().getParent();
    return withParent && parent != null && parent.getFileName() != null
        ? parent.getFileName() + "/" + plainName(path)
        : plainName(path);
  }

  private static String plainName(Path path) {
    String name = String.valueOf(path.toAbsolutePath().normalize().getFileName());
    return Files.isDirectory(path)
        ? name
        : name.replaceFirst("(\\.(gz|zst))?$", "").replaceFirst("(?<=.)\\.[a-z]+$", "");
  }

  private static List<Path> runs(Path argument) {
    if (!Files.isDirectory(argument)) {
      if (!Files.exists(argument)) {
        throw new CommandException(ExitCode.USAGE, "there is no file or folder " + argument);
      }
      return List.of(argument);
    }
    try (Stream<Path> entries = Files.list(argument)) {
      return entries
          .filter(entry -> Files.isDirectory(entry) || isOfEvents(entry))
          .sorted()
          .limit(MAX_RUNS + 1L)
          .toList();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot read " + argument + ": " + FileProblem.reason(e), e);
    }
  }

  private static boolean isOfEvents(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".") && !OTHERS.contains(name.substring(name.lastIndexOf('.') + 1));
  }
}
