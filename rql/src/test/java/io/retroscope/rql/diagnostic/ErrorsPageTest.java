// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.Authority;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that {@code docs/rql/errors.md} describes every error, with examples that tests produce.
 */
class ErrorsPageTest {
  private static final int MAX_FRAMES = 10_000;

  private static final Path PAGE = Path.of("../docs/rql/errors.md");
  private static final Path RESOURCES = Path.of("src/test/resources");
  private static final Pattern HEADING = Pattern.compile("(?m)^### (RQL\\d{4}): ");
  private static final Pattern EXAMPLE =
      Pattern.compile("(?m)^    error\\[(RQL\\d{4})].*\n(?:^    .*\n)*");
  private static final Pattern PRINTED = Pattern.compile("(?m)^error\\[(RQL\\d{4})]");

  @Test
  void page_hasEveryCodeInOrder() throws IOException {
    List<String> documented =
        HEADING.matcher(Files.readString(PAGE)).results().map(match -> match.group(1)).toList();
    assertThat(documented)
        .containsExactlyElementsOf(Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList());
  }

  @Test
  void page_showsOnlyErrorsThatTestsProduce() throws IOException {
    String produced = produced();
    List<String> examples =
        EXAMPLE
            .matcher(Files.readString(PAGE))
            .results()
            .map(match -> match.group().replaceAll("(?m)^    ", ""))
            .toList();
    assertThat(examples).hasSameSizeAs(ErrorCode.values());
    assertThat(examples).allSatisfy(example -> assertThat(produced).contains(example));
  }

  @Test
  void everyCode_isProducedBySomeTest() throws IOException {
    Set<String> codes =
        PRINTED
            .matcher(produced())
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    assertThat(ErrorCode.values())
        .allSatisfy(code -> assertThat(codes).as(code.name()).contains(code.code()));
  }

  /** Returns the output of the invalid and the golden queries. */
  private static String produced() throws IOException {
    try (Stream<Path> files = Files.walk(RESOURCES)) {
      return files
          .filter(file -> file.toString().matches(".*(errors/.*\\.txt|\\.rqltest)"))
          .sorted()
          .map(ErrorsPageTest::read)
          .collect(Collectors.joining("\n", "", streamOverFile() + smallStack() + ruleFile()));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  /**
   * Returns errors that golden queries cannot produce: their STREAMs are live, but over a file a
   * STREAM is rejected, and they have full authority.
   */
  private static String streamOverFile() {
    Event event =
        new Event(
            "zk1",
            "setd",
            HlcTimestamp.pack(1),
            Event.NO_PHYSICAL,
            Event.NO_SEQUENCE,
            Set.of(),
            new StateChange(List.of(new Change(Operation.SET, "r1", Value.of(1)))));
    QueryEngine engine =
        new QueryEngine(
            new InMemoryEventSource(List.of(event), ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    RqlException refusal =
        catchThrowableOfType(
            RqlException.class,
            () -> engine.run(engine.prepare("SELECT STREAM r1 FROM setd"), new NoRows()));
    RqlException forbidden =
        catchThrowableOfType(
            RqlException.class,
            () -> engine.run(engine.prepare("FORGET NODE zk3;"), Authority.READ, new NoRows()));
    return DiagnosticPrinter.print(refusal) + "\n" + DiagnosticPrinter.print(forbidden);
  }

  /** Returns errors of a file of rules, which is not read as queries are. */
  private static String ruleFile() {
    RuleSet set = new RuleSet();
    set.add("claims.rql", "NEVER MAX(term) > 9 FROM lease;");
    set.add(
        "rules.rql",
        "CREATE RULE old AS (NEVER MAX(term) > 9 FROM lease);\n"
            + "CREATE RULE old AS (NEVER MAX(term) > 8 FROM lease);");
    return set.faults().stream()
        .map(fault -> "\n" + DiagnosticPrinter.print(fault.error()))
        .collect(Collectors.joining());
  }

  /**
   * Exhausts the stack of a thread with a small one. Compiled code needs less of it than
   * interpreted code, so more and more of the stack is used before the expression is evaluated.
   */
  private static String smallStack() {
    QueryEngine engine =
        new QueryEngine(
            new InMemoryEventSource(List.of(), ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    AtomicReference<String> printed = new AtomicReference<>("");
    for (int frames = 0; frames < MAX_FRAMES && printed.get().isEmpty(); frames += 100) {
      int used = frames;
      Runnable evaluation =
          () -> below(used, engine).map(DiagnosticPrinter::print).ifPresent(printed::set);
      Thread thread = new Thread(null, evaluation, "small stack", 100 * 1024);
      thread.start();
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return printed.get();
  }

  private static Optional<RqlException> below(int frames, QueryEngine engine) {
    if (frames > 0) {
      return below(frames - 1, engine);
    }
    try {
      engine.run(engine.prepare("1" + " + 1".repeat(490)), new NoRows());
      return Optional.empty();
    } catch (RqlException e) {
      return Optional.of(e);
    }
  }

  private static final class NoRows implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return false;
    }

    @Override
    public void warning(String message) {}
  }
}
