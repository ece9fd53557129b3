package io.retroscope.examples.zookeeper;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The locations of the build's files for the servers. Immutable.
 *
 * @param agentJar the Java agent that traces a server
 * @param zookeeperLib the folder with ZooKeeper's jars
 * @param launcher the folder with the jar of the launcher of child processes
 * @param brokerJar the jar that runs a Kafka broker, with its libraries beside it
 */
public record Installation(Path agentJar, Path zookeeperLib, Path launcher, Path brokerJar) {
  private static final String HOME_PROPERTY = "retroscope.home";
  private static final String AGENT_JAR =
      "instrumentation/zookeeper/target/retroscope-zookeeper-agent.jar";
  private static final String ZOOKEEPER_LIB = "examples/zookeeper/target/zookeeper-lib";
  private static final String LAUNCHER = "examples/zookeeper/target/launcher";
  private static final String BROKER_JAR = "kafka-broker/target/kafka-broker.jar";

  /**
   * Locates the built project: the folder of the system property {@code retroscope.home}, or the
   * nearest one above this class's own files or above the working directory.
   *
   * @throws EnsembleException if none of these is a built project
   */
  public static Installation locate() throws EnsembleException {
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
        Optional<Installation> found = in(folder);
        if (found.isPresent()) {
          return found.get();
        }
      }
    }
    throw new EnsembleException(
        "the ZooKeeper agent, jars and broker are not built in or above "
            + starts.stream().map(start -> start.toAbsolutePath().toString()).toList()
            + ": run 'mvn package -DskipTests' in the project's folder");
  }

  /** The jar or the folder from which this class was loaded. */
  private static Optional<Path> ownFiles() {
    CodeSource source = Installation.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? Optional.empty() : Optional.of(Path.of(source.getLocation().toURI()));
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      return Optional.empty();
    }
  }

  private static Optional<Installation> in(Path folder) {
    Installation there =
        new Installation(
            folder.resolve(AGENT_JAR),
            folder.resolve(ZOOKEEPER_LIB),
            folder.resolve(LAUNCHER),
            folder.resolve(BROKER_JAR));
    return there.isComplete() ? Optional.of(there) : Optional.empty();
  }

  /** The class path of a child process for these jars. */
  String classPath(Path jars) {
    return launcher.resolve("*") + File.pathSeparator + jars;
  }

  /**
   * The class path of a ZooKeeper server.
   *
   * @param version the folder with the jars of another version of ZooKeeper
   * @throws EnsembleException if one of the folders cannot be listed
   */
  String zookeeperClassPath(Optional<Path> version) throws EnsembleException {
    if (version.isEmpty()) {
      return classPath(zookeeperLib.resolve("*"));
    }
    try (Stream<Path> files = Files.list(zookeeperLib)) {
      String others =
          files
              .filter(file -> !file.getFileName().toString().startsWith("zookeeper-"))
              .map(Path::toString)
              .collect(Collectors.joining(File.pathSeparator));
      return classPath(version.get().toAbsolutePath().resolve("*")) + File.pathSeparator + others;
    } catch (IOException e) {
      throw new EnsembleException("cannot list " + zookeeperLib + ": " + e.getMessage(), e);
    }
  }

  private boolean isComplete() {
    return Files.isRegularFile(agentJar)
        && Files.isDirectory(zookeeperLib)
        && Files.isDirectory(launcher)
        && Files.isRegularFile(brokerJar);
  }
}
