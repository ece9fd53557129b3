package io.retroscope.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Runs test classes that use the extension, with the version of JUnit on the class path. */
class ClusterExtensionTest {
  @TempDir Path folder;

  /** The same classes are tested on both versions; a mistake in a POM would test one twice. */
  @Test
  void version_ofJupiter_isTheOneToTest() {
    String version = Test.class.getPackage().getImplementationVersion();
    assertThat(version).startsWith(System.getProperty("expected.jupiter", "5") + ".");
  }

  /** A node that leads from now on. */
  static void lead(Recorder node, int term) {
    node.log("raft").event(change -> change.set("role", "leader").set("term", term));
  }

  static void follow(Recorder node, int term) {
    node.log("raft").event(change -> change.set("role", "follower").set("term", term));
  }

  @Rules("election.rql")
  static class Elections {
    @Test
    void oneLeads(Cluster cluster) {
      lead(cluster.node("a"), 1);
      follow(cluster.node("b"), 1);
    }

    @Test
    void twoLead(Cluster cluster) {
      Recorder a = cluster.node("a", Duration.ofMillis(-80));
      Recorder b = cluster.node("b", Duration.ofMillis(40), 100);
      lead(a, 1);
      long hlc = a.send("b", "vote");
      b.receive("a", "vote", hlc);
      lead(b, 2);
    }

    @Test
    @ExpectBroken("one_leader")
    void twoLead_asExpected(Cluster cluster) {
      twoLead(cluster);
    }

    @Test
    @ExpectBroken("one_leader")
    void oneLeads_againstExpectation(Cluster cluster) {
      oneLeads(cluster);
    }

    @Test
    void nothingHappens(Cluster cluster) {
      cluster.node("a").log("raft").set("term", 1);
    }

    @Test
    @AllowInconclusive("one_leader")
    void nothingHappens_asAllowed(Cluster cluster) {
      nothingHappens(cluster);
    }

    @Test
    @ExpectBroken("two_leaders")
    void oneLeads_withAMisspeltName(Cluster cluster) {
      oneLeads(cluster);
    }

    @Test
    @Rules({"more.rql", "election.rql"})
    void oneLeads_withFurtherRules(Cluster cluster) {
      oneLeads(cluster);
    }

    @Test
    @Rules("none.rql")
    void missingFile(Cluster cluster) {
      oneLeads(cluster);
    }
  }

  @Test
  void rules_thatHold_pass_andTheFileIsWritten() throws IOException {
    LaunchedTests tests = LaunchedTests.of(folder, Elections.class);

    tests.assertPassed("oneLeads");
    Path file = folder.resolve(Elections.class.getName().replace('$', '.') + ".oneLeads.ndjson");
    assertThat(Files.readAllLines(file))
        .anyMatch(line -> line.contains("\"node\":\"a\"") && line.contains("\"role\":\"leader\""))
        .anyMatch(line -> line.contains("\"start\""))
        // The end of a test is no stop of its nodes.
        .noneMatch(line -> line.contains("\"stop\""));
    tests.assertPassed("oneLeads_withFurtherRules");
  }

  @Test
  void rule_thatIsBroken_failsTheTestWithTheCutAndTheCommands() {
    String message = LaunchedTests.of(folder, Elections.class).failure("twoLead");

    assertThat(message.lines().map(String::strip))
        .anyMatch(line -> line.matches("broken: one_leader \\(\\S*election.rql:2\\)"))
        .contains("At most one node leads.")
        .anyMatch(line -> line.matches("episode one_leader@\\d+\\.\\d+"))
        .anyMatch(line -> line.matches("role +leader +leader"))
        // The diagram: the nodes, the message from a to b, and the cut.
        .anyMatch(line -> line.matches("a +b"))
        .anyMatch(line -> line.matches("[-+][\\d.]+ ms +\\* send vote to b +\\|"))
        .anyMatch(line -> line.matches("[-+][\\d.]+ ms +\\|-- vote -+>\\*"))
        .anyMatch(line -> line.matches("\\+0.000 ms +\\| +\\* role = leader, term = 2"))
        .anyMatch(line -> line.matches("the cut =+\\|=+\\|=+"))
        .anyMatch(
            line -> line.matches("retroscope check \\S*election.rql \\S*Elections.twoLead.ndjson"))
        .anyMatch(line -> line.matches("retroscope shell \\S*Elections.twoLead.ndjson"));
  }

  @Test
  void expectBroken_passesIfTheRuleIsBroken_andFailsOtherwise() {
    LaunchedTests tests = LaunchedTests.of(folder, Elections.class);

    tests.assertPassed("twoLead_asExpected");
    assertThat(tests.entries())
        .anyMatch(entry -> entry.matches("broken, as expected: one_leader .*: episode one_.*"));
    assertThat(tests.failure("oneLeads_againstExpectation"))
        .contains("holds, and is expected to be broken: one_leader");
    assertThat(tests.failure("oneLeads_withAMisspeltName"))
        .contains("there is no rule \"two_leaders\"", "the rules are one_leader");
  }

  @Test
  void rule_thatIsInconclusive_fails_unlessItIsAllowed() {
    LaunchedTests tests = LaunchedTests.of(folder, Elections.class);

    assertThat(tests.failure("nothingHappens"))
        .contains("inconclusive: one_leader", "unknown variable \"role\"");
    tests.assertPassed("nothingHappens_asAllowed");
    assertThat(tests.entries())
        .anyMatch(entry -> entry.startsWith("inconclusive, which is allowed: one_leader"));
  }

  @Test
  void file_thatIsMissing_failsWithThePlacesThatWereSearched() {
    assertThat(LaunchedTests.of(folder, Elections.class).failure("missingFile"))
        .contains("there are no rules \"none.rql\"", "ClusterExtensionTest", "the file /");
  }

  @Rules("wrong.rql")
  static class WrongRules {
    @Test
    void oneLeads(Cluster cluster) {
      lead(cluster.node("a"), 1);
    }

    @Test
    void twoLead(Cluster cluster) {
      lead(cluster.node("a"), 1);
      lead(cluster.node("b"), 1);
    }
  }

  @Test
  void rule_thatIsWrong_failsWithItsPlace_andTheOthersAreChecked() {
    LaunchedTests tests = LaunchedTests.of(folder, WrongRules.class);

    assertThat(tests.failure("oneLeads")).contains("wrong: wrong (", "RQL", "LINE 1:", "^");
    assertThat(tests.failure("twoLead")).contains("wrong: wrong (", "broken: one_leader (");
  }

  @ExtendWith(ClusterExtension.class)
  static class NoRules {
    @Test
    void isNotChecked(Cluster cluster) {
      lead(cluster.node("a"), 1);
    }
  }

  @Test
  void noRules_fail() {
    assertThat(LaunchedTests.of(folder, NoRules.class).failure("isNotChecked"))
        .contains("no rule is given");
  }

  @Rules("election.rql")
  static class Discarding {
    @Test
    void afterClose(Cluster cluster) {
      Recorder a = cluster.node("a");
      lead(a, 1);
      a.close();
      follow(a, 1);
    }

    @Test
    void refused(Cluster cluster) {
      Recorder a = cluster.node("a");
      lead(a, 1);
      a.log("").set("role", "follower");
    }

    @Test
    void closedInOrder(Cluster cluster) {
      Recorder a = cluster.node("a");
      lead(a, 1);
      a.close();
      lead(cluster.node("b"), 2);
    }

    @Test
    void sameName(Cluster cluster) {
      lead(cluster.node("a"), 1);
      cluster.node("a");
    }
  }

  @Test
  void recorder_thatDiscardedEvents_failsTheTest() {
    LaunchedTests tests = LaunchedTests.of(folder, Discarding.class);

    assertThat(tests.failure("afterClose"))
        .contains("node a discarded events: 1 came after its recorder was closed");
    assertThat(tests.failure("refused"))
        .contains("node a discarded events: 1 could not be recorded as they were");
    tests.assertPassed("closedInOrder");
    assertThat(tests.failure("sameName")).contains("there is a node \"a\" already");
  }

  @Rules("election.rql")
  static class Failing {
    @Test
    void fails_andBreaksARule(Cluster cluster) {
      lead(cluster.node("a"), 1);
      lead(cluster.node("b"), 1);
      fail("by itself");
    }

    @Test
    void fails_beforeAnythingHappens(Cluster cluster) {
      fail("by itself");
    }

    @Test
    void isAborted(Cluster cluster) {
      lead(cluster.node("a"), 1);
      lead(cluster.node("b"), 1);
      assumeTrue(false, "not today");
    }
  }

  @Test
  void test_thatFailsByItself_keepsItsFailure_withTheBrokenRuleBeside() {
    LaunchedTests tests = LaunchedTests.of(folder, Failing.class);

    assertThat(tests.failure("fails_andBreaksARule")).isEqualTo("by itself");
    Throwable failure = tests.result("fails_andBreaksARule").getThrowable().orElseThrow();
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(failure.getSuppressed()[0]).hasMessageContaining("broken: one_leader");
    assertThat(tests.failure("fails_beforeAnythingHappens")).isEqualTo("by itself");
    assertThat(
            tests
                .result("fails_beforeAnythingHappens")
                .getThrowable()
                .orElseThrow()
                .getSuppressed())
        .isEmpty();
    assertThat(failure.getSuppressed()[0])
        .hasMessageContaining("Failing.fails_andBreaksARule.html");
    assertThat(tests.entries())
        .anyMatch(entry -> entry.endsWith("Failing.fails_beforeAnythingHappens.html"))
        .noneMatch(entry -> entry.endsWith(".isAborted.html"));
    assertThat(tests.result("isAborted").getStatus()).isEqualTo(Status.ABORTED);
  }

  @Rules("election.rql")
  static class Several {
    @ParameterizedTest
    @ValueSource(strings = {"x/y", "z"})
    void parameterized(String name, Cluster cluster) {
      lead(cluster.node(name), 1);
    }

    @RepeatedTest(2)
    void repeated(Cluster cluster) {
      lead(cluster.node("a"), 1);
    }

    @Test
    void overloaded(Cluster cluster) {
      lead(cluster.node("a"), 1);
    }

    @ParameterizedTest
    @ValueSource(ints = 1)
    void overloaded(int term, Cluster cluster) {
      lead(cluster.node("a"), term);
    }

    @Nested
    class Inner {
      @Test
      void nested(Cluster cluster) {
        lead(cluster.node("a"), 1);
        lead(cluster.node("b"), 1);
      }
    }
  }

  @Test
  void invocations_haveFilesOfTheirOwn_andNestedClassesHaveTheRulesAroundThem() throws IOException {
    LaunchedTests tests = LaunchedTests.of(folder, Several.class);

    assertThat(tests.failure("nested")).contains("broken: one_leader");
    String prefix = Several.class.getName().replace('$', '.') + ".";
    assertThat(files())
        .containsExactlyInAnyOrder(
            prefix + "parameterized-1.ndjson",
            prefix + "parameterized-2.ndjson",
            prefix + "repeated-1.ndjson",
            prefix + "repeated-2.ndjson",
            prefix + "overloaded-Cluster.ndjson",
            prefix + "overloaded-int-Cluster-1.ndjson",
            prefix + "Inner.nested.ndjson",
            prefix + "Inner.nested.html");
    assertThat(Files.readString(folder.resolve(prefix + "parameterized-1.ndjson")))
        .contains("x/y")
        .doesNotContain("\"z\"");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** Two tests that run at the same time, of which one breaks the rule. */
  @Rules("election.rql")
  static class Parallel {
    static final CyclicBarrier BOTH = new CyclicBarrier(2);

    @Test
    void left(Cluster cluster) throws Exception {
      Recorder a = cluster.node("a");
      BOTH.await(60, TimeUnit.SECONDS);
      lead(a, 1);
      BOTH.await(60, TimeUnit.SECONDS);
    }

    @Test
    void right(Cluster cluster) throws Exception {
      Recorder a = cluster.node("a");
      BOTH.await(60, TimeUnit.SECONDS);
      lead(a, 1);
      lead(cluster.node("b"), 1);
      BOTH.await(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void parallelTests_haveClustersOfTheirOwn() {
    Map<String, String> parallel =
        Map.of(
            "junit.jupiter.execution.parallel.enabled", "true",
            "junit.jupiter.execution.parallel.mode.default", "concurrent",
            "junit.jupiter.execution.parallel.config.strategy", "fixed",
            "junit.jupiter.execution.parallel.config.fixed.parallelism", "2");
    LaunchedTests tests = LaunchedTests.of(folder, parallel, Parallel.class);

    tests.assertPassed("left");
    assertThat(tests.failure("right")).contains("broken: one_leader");
  }

  @Rules("election.rql")
  static class Registered {
    @RegisterExtension static final ClusterExtension MORE = ClusterExtension.rules("more.rql");

    private Recorder a;

    @BeforeEach
    void start(Cluster cluster) {
      a = cluster.node("a");
    }

    @Test
    void breaksTheRegisteredRule() {
      lead(a, 0);
    }

    @Test
    void breaksTheOtherRule(Cluster cluster) {
      lead(a, 1);
      lead(cluster.node("b"), 1);
    }

    @AfterEach
    void end() {
      a.log("raft").set("term", 2);
    }
  }

  @Test
  void registeredExtension_addsItsRules_andMethodsAroundTheTestBelongToIt() throws IOException {
    LaunchedTests tests = LaunchedTests.of(folder, Registered.class);

    assertThat(tests.failure("breaksTheRegisteredRule"))
        .contains("broken: term_is_seen")
        .doesNotContain("one_leader@");
    assertThat(tests.failure("breaksTheOtherRule"))
        .contains("broken: one_leader")
        .doesNotContain("term_is_seen@");
    String file = Registered.class.getName().replace('$', '.') + ".breaksTheOtherRule.ndjson";
    assertThat(Files.readString(folder.resolve(file))).contains("\"term\":2");
  }

  @Rules("election.rql")
  static class Outside {
    Outside(Cluster cluster) {}

    @Test
    void isNotReached() {}
  }

  @Test
  void cluster_outsideOfATest_isRefusedWithItsPlaces() {
    assertThat(LaunchedTests.of(folder, Outside.class).failure("isNotReached"))
        .contains("a Cluster belongs to one test");
  }
}
