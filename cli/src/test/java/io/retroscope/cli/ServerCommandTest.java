// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ServerCommandTest {
  private static final int SIGTERM_EXIT_CODE = 128 + 15;

  private static final String TEST_CLASSES =
      ServerCommandTest.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  @TempDir Path folder;

  @Test
  void server_terminated_keepsWhatItHasTakenAndEnds() throws Exception {
    Path events =
        Files.writeString(
            folder.resolve("e.ndjson"),
            "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"1795200000000000.0\",\"set\":{\"x\":1}}\n");
    for (int run = 0; run < 2; run++) {
      // The log would name a node that is silent for as long as a busy machine pauses.
      Process server = start("--idle-timeout", "1h");
      try {
        String address = address();
        if (run == 0) {
          CommandRun.of("import", events.toString(), "--server", address);
        }
        assertThat(CommandRun.of("export", "--server", address).out())
            .isEqualTo(Files.readString(events));
      } finally {
        server.destroy();
        assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(server.exitValue()).isEqualTo(SIGTERM_EXIT_CODE);
      assertThat(log()).noneMatch(line -> line.matches(".* (WARN|ERROR) .*"));
    }
  }

  @Test
  void log_ofARun_hasOneLineForEachEvent() throws Exception {
    Path events =
        Files.writeString(
            folder.resolve("e.ndjson"),
            "{\"node\":\"a\\u001b[2J\",\"log\":\"l\",\"hlc\":\"1795200000000000.0\",\"set\":{\"x\":1}}\n");
    Process server = start("--slow-query", "0s");
    try {
      String address = address();
      CommandRun.of("import", events.toString(), "--server", address);
      CommandRun.of("shell", "--server", address, "-c", "SELECT x\nFROM l;");
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> log().stream().anyMatch(line -> line.contains("is silent")));
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(log())
        .allMatch(
            line -> line.matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}Z [A-Z]{4,5} +\\w+: \\P{Cntrl}+"))
        .satisfiesOnlyOnce(line -> assertThat(line).contains("INFO  ServerCommand: retroscope 0"))
        .satisfiesOnlyOnce(
            line ->
                assertThat(line)
                    .contains(
                        "LogServer: starting: version=0.",
                        "data=" + folder,
                        "slow query=PT0S",
                        "java="))
        .satisfiesOnlyOnce(line -> assertThat(line).contains("listening at http://127.0.0.1:"))
        .satisfiesOnlyOnce(line -> assertThat(line).endsWith("node a\\u001B[2J appeared"))
        .satisfiesOnlyOnce(line -> assertThat(line).contains("node a\\u001B[2J is silent"))
        .satisfiesOnlyOnce(
            line -> assertThat(line).matches(".* WARN  QueryLog: slow query: \\d+ ms: SELECT x.*"))
        .satisfiesOnlyOnce(line -> assertThat(line).endsWith("LogServer: stopping"));
    assertThat(log().get(log().size() - 1)).endsWith("LogServer: stopped");
  }

  @Test
  void server_portInUse_saysSo() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      CommandRun run =
          CommandRun.of(
              "server",
              "--data",
              folder.resolve("data").toString(),
              "--port",
              Integer.toString(taken.getLocalPort()));
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err())
          .startsWith("error: cannot listen on 127.0.0.1:" + taken.getLocalPort())
          .hasLineCount(1);
    }
  }

  @Test
  void server_otherMachinesReachIt_needsTokens() {
    CommandRun run =
        CommandRun.of("server", "--data", folder.resolve("data").toString(), "--host", "0.0.0.0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("error: other machines reach 0.0.0.0, so tokens are needed");
  }

  @Test
  void server_portOutOfRange_isWrongUsage() {
    assertThat(CommandRun.of("server", "--port", "70000").exitCode()).isEqualTo(2);
  }

  @Test
  void server_topicWithoutBroker_isWrongUsage() {
    CommandRun run = CommandRun.of("server", "--topic", "events");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("error: no broker is given: --topic").hasLineCount(1);

    assertThat(CommandRun.of("server", "--kafka", "a:1", "--kafka-from", "latest").err())
        .startsWith("error: expected stored, available, earliest or PARTITION:OFFSET,...");
    assertThat(CommandRun.of("server", "--kafka", "a:1", "--kafka-config", "/no/file").err())
        .isEqualTo("error: the command line: cannot read \"/no/file\": there is no such file\n");
  }

  /** Each would run as a server if it were not refused. */
  @Timeout(60)
  @Test
  void server_clusterWithoutItsOptions_isWrongUsageAndNamesThem() throws IOException {
    assertWrongUsage("--cluster needs the brokers of its topic: --kafka");
    assertWrongUsage("--advertise https://logs1.example.com:7340", "--kafka", "127.0.0.1:1");
    List<String> advertised =
        List.of("--kafka", "127.0.0.1:1", "--advertise", "http://127.0.0.1:7340");
    assertWrongUsage("--cluster-token-file FILE", advertised.toArray(String[]::new));
    List<String> withToken = new ArrayList<>(advertised);
    withToken.addAll(List.of("--cluster-token-file", folder.resolve("token").toString()));
    assertWrongUsage("--cluster-token-file cannot be read", withToken.toArray(String[]::new));
    Path token = Files.writeString(folder.resolve("token"), "short");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    assertWrongUsage("chmod 600 " + token, withToken.toArray(String[]::new));
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    assertWrongUsage("needs at least 32 characters", withToken.toArray(String[]::new));

    CommandRun alone =
        CommandRun.of(
            "server", "--data", folder.resolve("data").toString(), "--advertise", "http://a:7340");
    assertThat(alone.exitCode()).isEqualTo(2);
    assertThat(alone.err()).contains("need --cluster").hasLineCount(1);
  }

  private void assertWrongUsage(String sentence, String... more) {
    List<String> command =
        new ArrayList<>(
            List.of("server", "--cluster", "--data", folder.resolve("data").toString()));
    command.addAll(List.of(more));
    CommandRun run = CommandRun.of(command.toArray(String[]::new));
    assertThat(run.exitCode()).as(sentence).isEqualTo(2);
    assertThat(run.err()).startsWith("error: ").contains(sentence).hasLineCount(1);
  }

  @Test
  void server_brokerThatDoesNotAnswer_endsWithOneSentenceAndNoSecret() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("client.properties"),
            """
            security.protocol=SASL_PLAINTEXT
            sasl.mechanism=PLAIN
            sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
                username="ann" password="s3cret";
            """);
    Process server = start("--kafka", "127.0.0.1:1", "--kafka-config", config.toString());
    assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();

    assertThat(server.exitValue()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("err.txt")))
        .doesNotContain("s3cret", "ann")
        .endsWith(
            "error: no broker answers at 127.0.0.1:1: check --kafka (bootstrap.servers) and"
                + " security.protocol\n");
    assertThat(Files.readString(folder.resolve("out.txt"))).isEmpty();
  }

  /** The command itself, in a process in which a thread exhausts the heap on demand. */
  public static final class Starved {
    private Starved() {}

    /**
     * Runs the command.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
      new Thread(
              () -> {
                try {
                  int told = System.in.read();
                  long[] eaten = new long[Integer.MAX_VALUE];
                  throw new AssertionError("there was room for " + eaten.length + told);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              })
          .start();
      Retroscope.main(args);
    }
  }

  @Test
  void server_exhaustedHeap_endsWithItsCodeAtOnce() throws Exception {
    Process server = start(Starved.class.getName(), List.of());
    String unused = address();
    server.getOutputStream().write('\n');
    server.getOutputStream().flush();

    assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isEqualTo(70);
    assertThat(log()).anyMatch(line -> line.contains("the server ends with exit code 70"));
  }

  private Process start(String... more) throws IOException {
    return start("io.retroscope.cli.Retroscope", List.of(more));
  }

  private Process start(String main, List<String> more) throws IOException {
    List<String> command =
        new ArrayList<>(QuickJava.command(withoutStreams() + File.pathSeparator + TEST_CLASSES));
    command.addAll(
        List.of(main, "server", "--port", "0", "--data", folder.resolve("data").toString()));
    command.addAll(more);
    return new ProcessBuilder(command)
        .redirectOutput(folder.resolve("out.txt").toFile())
        .redirectError(folder.resolve("err.txt").toFile())
        .start();
  }

  private List<String> log() throws IOException {
    return Files.readAllLines(folder.resolve("err.txt"));
  }

  private String address() {
    return Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> Files.readString(folder.resolve("out.txt")),
            text -> text.startsWith("log server ready at ") && text.endsWith("\n"))
        .replaceAll("(?s)log server ready at (\\S+), data in .*", "$1");
  }

  /** The libraries of a server that is not in a cluster, which loads no class of Kafka Streams. */
  private static String withoutStreams() throws IOException {
    return Arrays.stream(LibraryList.SERVER.classPath().split(File.pathSeparator, -1))
        .filter(path -> !path.contains("kafka-streams"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
