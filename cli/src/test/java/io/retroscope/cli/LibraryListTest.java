// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A test of the lists of libraries. {@link ServerCommandTest} starts a server with its list alone,
 * and {@link DocumentationTest} every documented command.
 */
class LibraryListTest {
  @Test
  void server_hasNoLibraryOfOthers() throws IOException {
    assertThat(LibraryList.SERVER.jars())
        .noneMatch(
            jar ->
                jar.matches(
                    "(jline|zookeeper|netty|example|commons-io|instrum|infinispan|jgroups).*"))
        .anyMatch(jar -> jar.startsWith("kafka-clients"));
    assertThat(LibraryList.SERVER.jars())
        .filteredOn(jar -> jar.matches("(rocksdbjni|kafka-streams).*"))
        .as("Streams brings no RocksDB of its own")
        .hasSize(2);
  }

  @Test
  void client_hasNoLibraryOfServers() throws IOException {
    assertThat(LibraryList.CLIENT.jars())
        .noneMatch(
            jar ->
                jar.matches(
                    "(rocksdb|jetty|javalin|kafka|micrometer|zookeeper|netty|example|instrum|jgroups"
                        + "|jackson-(core|databind)-2).*"))
        .anyMatch(jar -> jar.startsWith("jline"))
        .anyMatch(jar -> jar.startsWith("sonify"))
        .hasSizeLessThan(20);
  }

  @Test
  void demo_hasAll() throws IOException {
    assertThat(LibraryList.DEMO.jars())
        .containsAll(LibraryList.SERVER.jars())
        .containsAll(LibraryList.CLIENT.jars())
        .anyMatch(jar -> jar.startsWith("zookeeper"))
        .anyMatch(jar -> jar.startsWith("netty"));
  }

  /** The help of each command is the same with all lists, so none may need libraries of another. */
  @ParameterizedTest
  @EnumSource(LibraryList.class)
  void command_withItsLibrariesAlone_startsAndKnowsAllCommands(LibraryList list) throws Exception {
    List<String> command = new ArrayList<>(QuickJava.command(list.classPath()));
    command.addAll(List.of("io.retroscope.cli.Retroscope", "--help"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

    assertThat(printed).isEqualTo(CommandRun.of("--help").out());
    assertThat(List.of("server", "shell", "demo", "listen")).allMatch(printed::contains);
  }
}
