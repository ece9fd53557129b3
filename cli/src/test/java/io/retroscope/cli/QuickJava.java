// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The start of Java in processes of tests, in two thirds of the usual time: they end before
 * optimized code or a concurrent collector pays, and share classes of the JDK and of the client's
 * libraries in the form in which a JVM has them in memory. The file of these is made by the first
 * test of a build that needs it; without it, starts are slower. Thread-safe.
 */
public final class QuickJava {
  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final List<String> OPTIONS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote",
          "-XX:MetaspaceSize=128m", // Below it, a collection for classes alone.
          "-Xshare:auto",
          "--enable-native-access=ALL-UNNAMED"); // As in the manifest of the runnable jar.

  private static final List<String> JARS = jarsOf(clientClassPath());

  /** It suits one build of the JDK, and these jars. */
  private static final Path SHARED =
      TARGET.resolve(
          "shared-classes-%08x.jsa"
              .formatted(Objects.hash(System.getProperty("java.vm.version"), JARS)));

  private QuickJava() {}

  /**
   * The words of a command line up to the main class.
   *
   * @param classPath its jars are before its folders, for only jars can be shared
   */
  public static List<String> command(String classPath) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(options());
    command.addAll(List.of("-cp", sharedFirst(classPath)));
    return command;
  }

  /** The options of such a start, which has the class path of {@link #sharedFirst}. */
  public static List<String> options() {
    List<String> options = new ArrayList<>(OPTIONS);
    if (Holder.IS_MADE) {
      // A mismatch, of another JDK for instance, would be reported in the output.
      options.addAll(
          List.of("-XX:SharedArchiveFile=" + SHARED, "-Xlog:disable", "-Xlog:all=error:stderr"));
    }
    return options;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String clientClassPath() {
    try {
      return LibraryList.CLIENT.classPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> entries(String classPath) {
    return Arrays.asList(classPath.split(File.pathSeparator, -1));
  }

  private static List<String> jarsOf(String classPath) {
    return entries(classPath).stream().filter(entry -> entry.endsWith(".jar")).toList();
  }

  /** Classes are shared if the jars of the file are the first of the class path, in its order. */
  public static String sharedFirst(String classPath) {
    List<String> entries = entries(classPath);
    Set<String> sorted = new LinkedHashSet<>();
    if (entries.containsAll(JARS)) {
      sorted.addAll(JARS);
    }
    sorted.addAll(jarsOf(classPath));
    sorted.addAll(entries);
    return String.join(File.pathSeparator, sorted);
  }

  /** Makes the file at its first use in this process. */
  private static final class Holder {
    static final boolean IS_MADE = make();

    /** Makes the file unless another process of the build has. */
    private static boolean make() {
      try (FileChannel channel =
              FileChannel.open(
                  TARGET.resolve("shared-classes.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = channel.lock()) {
        return held.isValid() && (isCurrent() || isMadeNow());
      } catch (IOException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    private static boolean isCurrent() throws IOException {
      if (!Files.exists(SHARED)) {
        return false;
      }
      for (String jar : JARS) {
        if (Files.getLastModifiedTime(Path.of(jar)).compareTo(Files.getLastModifiedTime(SHARED))
            > 0) {
          return false;
        }
      }
      return true;
    }

    /** In two steps, because picocli's old class files cannot be kept at the end of a run. */
    private static boolean isMadeNow() throws IOException, InterruptedException {
      Path list = TARGET.resolve("shared-classes.list");
      Path made = TARGET.resolve("shared-classes.new");
      Files.deleteIfExists(made);
      boolean isMade =
          hasSucceeded(
                  "-XX:DumpLoadedClassList=" + list,
                  "-cp",
                  sharedFirst(clientClassPath()),
                  "io.retroscope.cli.Retroscope",
                  "shell",
                  Path.of("../dist/src/main/share/first-start.ndjson").toString(),
                  "-c",
                  "SELECT working FROM ring WHEN COUNT n IN NODES : (working@n) >= 2;")
              && hasSucceeded(
                  "-Xshare:dump",
                  "-XX:SharedClassListFile=" + list,
                  "-XX:SharedArchiveFile=" + made,
                  "-cp",
                  String.join(File.pathSeparator, JARS))
              && Files.exists(made);
      if (isMade) {
        Files.move(made, SHARED, StandardCopyOption.REPLACE_EXISTING);
      }
      return isMade;
    }

    private static boolean hasSucceeded(String... words) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(List.of(java()));
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
      command.addAll(List.of(words));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    }
  }
}
