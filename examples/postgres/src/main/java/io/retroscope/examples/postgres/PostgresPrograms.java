// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs of PostgreSQL: those of this machine, or, for Linux on x86, those of a jar.
 * Immutable.
 *
 * <p>PostgreSQL refuses to run as root. For root, they run as the user {@value #UNPRIVILEGED}.
 *
 * @param bin their folder
 */
record PostgresPrograms(Path bin) {
  static final String UNPRIVILEGED = "nobody";

  /** Distributions have different names for it. */
  private static final String UNPRIVILEGED_GROUP_ID = "65534";

  /** It has the setting wal_keep_size; earlier ones do not start with it. */
  private static final int LEAST_VERSION = 13;

  private static final Pattern NUMBER = Pattern.compile("\\d{1,4}");

  /** Where Debian and its relatives have them, by version. */
  private static final Path PACKAGES = Path.of("/usr/lib/postgresql");

  /** Those of this machine, or those of the jar, in a new folder below this one. */
  static PostgresPrograms locate(Path folder)
      throws StageException, IOException, InterruptedException {
    Optional<PostgresPrograms> installed = firstRecent(installed(), folder);
    return installed.isPresent()
        ? installed.get()
        : new PostgresPrograms(PostgresArchive.unpack(folder.resolve("postgresql")).resolve("bin"));
  }

  private static List<Path> installed() throws IOException {
    List<Path> folders = new ArrayList<>();
    for (String folder :
        Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1)) {
      Path program = Path.of(folder, "postgres");
      if (Files.isExecutable(program)) {
        folders.add(program.toRealPath().getParent());
      }
    }
    if (Files.isDirectory(PACKAGES)) {
      try (Stream<Path> versions = Files.list(PACKAGES)) {
        newestFirst(versions).map(version -> version.resolve("bin")).forEach(folders::add);
      }
    }
    return folders;
  }

  /** Folders that are named by versions. */
  static Stream<Path> newestFirst(Stream<Path> versions) {
    return versions.sorted(
        Comparator.comparing(
            (Path folder) -> majorVersion(folder.getFileName().toString()),
            Comparator.reverseOrder()));
  }

  /** The first programs that are recent enough. */
  static Optional<PostgresPrograms> firstRecent(List<Path> folders, Path workFolder)
      throws IOException, InterruptedException {
    for (Path bin : folders) {
      PostgresPrograms programs = new PostgresPrograms(bin);
      if (Files.isExecutable(bin.resolve("postgres"))
          && Files.isExecutable(bin.resolve("initdb"))
          && programs.isRecent(workFolder)) {
        return Optional.of(programs);
      }
    }
    return Optional.empty();
  }

  /** Those that cannot run are not. */
  private boolean isRecent(Path workFolder) throws IOException, InterruptedException {
    try {
      return majorVersion(version(workFolder)) >= LEAST_VERSION;
    } catch (StageException e) {
      return false;
    }
  }

  /** The first number in a text; 0 without one. */
  static int majorVersion(String text) {
    Matcher number = NUMBER.matcher(text);
    return number.find() ? Integer.parseInt(number.group()) : 0;
  }

  /** Their name and version in words. */
  String version(Path workFolder) throws StageException, IOException, InterruptedException {
    return run(workFolder, "postgres", "--version");
  }

  static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /**
   * Lets them enter a run's folder, which is its owner's alone, and gives them one of their own.
   */
  static Path ownFolder(Path folder, String name) throws IOException {
    Path own = Files.createDirectories(folder.resolve(name));
    if (isRoot()) {
      Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(folder));
      permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      Files.setPosixFilePermissions(folder, permissions);
      giveAway(own);
    }
    return own;
  }

  /** Makes a file or folder theirs. */
  static void giveAway(Path path) throws IOException {
    if (isRoot()) {
      Files.setOwner(
          path,
          path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(UNPRIVILEGED));
    }
  }

  /**
   * The command that runs one of them, without a password of the environment: they would take it
   * instead of the one in the file of a {@link Login}.
   */
  List<String> command(String program, String... args) {
    List<String> command = new ArrayList<>(List.of("env", "-u", "PGPASSWORD"));
    if (isRoot()) {
      command.addAll(
          List.of(
              "setpriv",
              "--reuid=" + UNPRIVILEGED,
              "--regid=" + UNPRIVILEGED_GROUP_ID,
              "--clear-groups",
              "--"));
    }
    command.add(bin.resolve(program).toString());
    command.addAll(Arrays.asList(args));
    return command;
  }

  /**
   * Runs one of them to its end, and returns its output.
   *
   * @throws StageException if it fails or does not end, with the output
   */
  String run(Path folder, String program, String... args)
      throws StageException, IOException, InterruptedException {
    Path output = Files.createTempFile(folder, program, ".out");
    Process process =
        new ProcessBuilder(command(program, args))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      process.getOutputStream().close();
      boolean ended = process.waitFor(Deadline.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      String text = Files.readString(output).strip();
      if (!ended || process.exitValue() != 0) {
        throw new StageException(
            "%s %s: %s"
                .formatted(
                    program,
                    ended
                        ? "failed"
                        : "has not ended after %d s".formatted(Deadline.PATIENCE.toSeconds()),
                    text.replaceAll("\n+", "; ")));
      }
      return text;
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
