// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.junit.Cluster;
import io.retroscope.junit.ClusterExtension;
import io.retroscope.junit.Rules;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The same file of rules finds the same episodes in a unit test, in CI, in the past and live. */
class EpisodeIdentityTest {
  private static final Path RULES = Path.of("src/test/resources/io/retroscope/cli/identity.rql");
  private static final Pattern IDENTITY =
      Pattern.compile("(?:one_leader|agrees|no_second|few|alone|soon)(?:\\[\\w+])?@\\d+\\.\\d+");

  @TempDir Path folder;

  /** A cluster that breaks each rule once. */
  @Rules("identity.rql")
  static class Election {
    @Test
    void breaksEachRule(Cluster cluster) {
      Recorder a = cluster.node("a", Duration.ofMillis(30));
      Recorder b = cluster.node("b", Duration.ofMillis(-30));
      a.log("raft").set("role", "leader");
      a.log("raft").set("c_members", 3);
      long hlc = a.send("b", "vote");
      b.receive("a", "vote", hlc);
      b.log("raft").set("role", "leader");
      b.log("raft").set("c_members", 4);
      a.log("raft").set("role", "follower");
    }
  }

  @Test
  void episodes_ofOneRun_haveTheSameIdentities_everywhere() throws Exception {
    Set<String> inTest = identities(failure());
    assertThat(inTest)
        .hasSize(6)
        .anyMatch(id -> id.startsWith("agrees[c_members]@"))
        .anyMatch(id -> id.startsWith("few[b]@"))
        .anyMatch(id -> id.startsWith("alone[leader]@"))
        .anyMatch(id -> id.startsWith("soon@") && id.endsWith(".4095"));
    Path recorded;
    try (Stream<Path> files = Files.walk(folder)) {
      recorded =
          files.filter(file -> file.toString().endsWith(".ndjson")).findFirst().orElseThrow();
    }

    CommandRun check = CommandRun.of("check", RULES + "", recorded + "", "--format", "json");
    assertThat(check.exitCode()).as(check.err()).isEqualTo(1);
    assertThat(identities(check.out())).isEqualTo(inTest);
    CommandRun junit = CommandRun.of("check", RULES + "", recorded + "", "--format", "junit");
    assertThat(identities(junit.out())).isEqualTo(inTest);
    CommandRun backtest = CommandRun.of("backtest", RULES + "", recorded + "", "--format", "csv");
    assertThat(backtest.exitCode()).as(backtest.err()).isZero();
    assertThat(identities(backtest.out())).isEqualTo(inTest);
    assertLive(recorded, inTest);
  }

  /** The events arrive while the check is running; the server's history gives the same again. */
  private void assertLive(Path recorded, Set<String> expected) throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build())) {
      String address = "http://127.0.0.1:" + server.port();
      CompletableFuture<CommandRun> live =
          CompletableFuture.supplyAsync(
              () ->
                  CommandRun.of(
                      "check",
                      RULES.toString(),
                      "--server",
                      address,
                      "--live",
                      "--for",
                      "1h",
                      "--format",
                      "json"));
      // Only what comes after the first look is live.
      await().atMost(Duration.ofSeconds(60)).until(EpisodeIdentityTest::isBetweenLooks);
      CommandRun imported = CommandRun.of("import", recorded + "", "--server", address);
      assertThat(imported.exitCode()).as(imported.err()).isZero();
      CommandRun checked = live.get(120, TimeUnit.SECONDS);
      assertThat(checked.exitCode()).as(checked.out() + checked.err()).isEqualTo(1);
      assertThat(identities(checked.out())).isEqualTo(expected);
      CommandRun past = CommandRun.of("check", RULES + "", "--server", address, "--format", "json");
      assertThat(identities(past.out())).isEqualTo(expected);
    }
  }

  private static boolean isBetweenLooks() {
    return Thread.getAllStackTraces().values().stream()
        .map(List::of)
        .anyMatch(
            frames ->
                frames.stream().anyMatch(frame -> frame.getMethodName().equals("sleep"))
                    && frames.stream()
                        .anyMatch(frame -> frame.getClassName().endsWith(".CheckCommand")));
  }

  /** The message with which the unit test fails. */
  private String failure() {
    List<TestExecutionResult> results = new ArrayList<>();
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
              results.add(result);
            }
          }
        };
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Election.class))
                .configurationParameter(ClusterExtension.DIRECTORY, folder.toString())
                .build(),
            listener);
    assertThat(results).hasSize(1);
    return results.get(0).getThrowable().orElseThrow().getMessage();
  }

  private static Set<String> identities(String text) {
    return IDENTITY
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
