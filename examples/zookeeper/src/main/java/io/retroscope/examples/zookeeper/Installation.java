// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.StageException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The locations of the build's files for the servers. Immutable.
 *
 * @param agentJar the Java agent that traces a server
 * @param zookeeperLib the folder with ZooKeeper's jars
 * @param launcher the folder with the jar of the launcher of child processes
 */
public record Installation(Path agentJar, Path zookeeperLib, Path launcher) {
  private static final String AGENT_JAR =
      "instrumentation/zookeeper/target/retroscope-zookeeper-agent.jar";
  private static final String ZOOKEEPER_LIB = "examples/zookeeper/target/zookeeper-lib";

  /**
   * Locates the files in the {@link BuiltProject}.
   *
   * @throws StageException if it is not built
   */
  public static Installation locate() throws StageException {
    BuiltProject project = BuiltProject.locate(AGENT_JAR, ZOOKEEPER_LIB);
    return new Installation(
        project.file(AGENT_JAR), project.file(ZOOKEEPER_LIB), project.launcher());
  }

  /** The class path of a child process for these jars. */
  String classPath(Path jars) {
    return launcher.resolve("*") + File.pathSeparator + jars;
  }

  /**
   * The class path of a ZooKeeper server.
   *
   * @param version the folder with the jars of another version of ZooKeeper
   * @throws StageException if one of the folders cannot be listed
   */
  String zookeeperClassPath(Optional<Path> version) throws StageException {
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
      throw new StageException("cannot list " + zookeeperLib + ": " + e.getMessage(), e);
    }
  }
}
