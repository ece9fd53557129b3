// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.golden.GoldenFile.Block;
import io.retroscope.rql.golden.GoldenFile.Case;
import io.retroscope.rql.golden.GoldenFile.Log;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs every golden query, in one slice and in many; {@code -Dgolden.update} rewrites the expected
 * results instead.
 */
class GoldenTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden");

  /**
   * Errors of values, limits that a run exceeds, and those of a server that is not there or of a
   * query that has ended.
   */
  private static final Pattern SHOWN_BY_EVENTS =
      Pattern.compile("^error\\[RQL0(?:4|6)|in the cut at hlc'|only a log server|no running query");

  @TestFactory
  Stream<DynamicContainer> golden() throws IOException {
    List<DynamicContainer> containers = new ArrayList<>();
    for (Path path : files()) {
      GoldenFile file = GoldenFile.read(path);
      if (System.getProperty("golden.update") != null) {
        file = update(file);
      }
      containers.add(DynamicContainer.dynamicContainer(path.getFileName().toString(), tests(file)));
    }
    return containers.stream();
  }

  /**
   * An editor shows the errors of a check: they are those of the run, in the same words, unless
   * only events show them.
   */
  @Test
  void check_everyError_isThatOfTheRun() throws IOException {
    int found = 0;
    for (Path path : files()) {
      EventNotation log = EventNotation.read(List.of());
      for (Block block : GoldenFile.read(path).blocks()) {
        if (block instanceof Log events) {
          log = EventNotation.read(events.lines());
        } else if (block instanceof Case example) {
          String checked = GoldenRunner.checked(log, example.query());
          found += checked.isEmpty() ? 0 : 1;
          if (!checked.isEmpty()) {
            assertThat(checked)
                .as("%s:%d", path, example.lineNumber())
                .isEqualTo(example.expected());
          } else if (example.expected().startsWith("error[")) {
            assertThat(example.expected())
                .as("%s:%d", path, example.lineNumber())
                .containsPattern(SHOWN_BY_EVENTS);
          }
        }
      }
    }
    assertThat(found).isGreaterThan(200);
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> paths = Files.list(FOLDER)) {
      return paths.filter(path -> path.toString().endsWith(".rqltest")).sorted().toList();
    }
  }

  private static List<DynamicTest> tests(GoldenFile file) {
    List<DynamicTest> tests = new ArrayList<>();
    EventNotation log = EventNotation.read(List.of());
    for (Block block : file.blocks()) {
      if (block instanceof Log events) {
        log = EventNotation.read(events.lines());
      } else if (block instanceof Case example) {
        EventNotation events = log;
        tests.add(
            DynamicTest.dynamicTest(
                example.title(),
                () -> {
                  assertThat(GoldenRunner.answer(events, example.query()))
                      .as("%s:%d", file.path(), example.lineNumber())
                      .isEqualTo(example.expected());
                  for (int size = 1; size < 6 && !isPlan(example.query()); size += 2) {
                    assertThat(GoldenRunner.answerInSlices(events, example.query(), size))
                        .as("%s:%d, slices of %d", file.path(), example.lineNumber(), size)
                        .isEqualTo(example.expected());
                  }
                }));
      }
    }
    return tests;
  }

  private static boolean isPlan(String query) {
    return query.startsWith("EXPLAIN");
  }

  private static GoldenFile update(GoldenFile file) throws IOException {
    List<Block> blocks = new ArrayList<>();
    EventNotation log = EventNotation.read(List.of());
    for (Block block : file.blocks()) {
      if (block instanceof Log events) {
        log = EventNotation.read(events.lines());
      }
      blocks.add(
          block instanceof Case example
              ? new Case(
                  example.title(),
                  example.query(),
                  GoldenRunner.answer(log, example.query()),
                  example.lineNumber())
              : block);
    }
    GoldenFile updated = new GoldenFile(file.path(), blocks);
    Files.writeString(file.path(), updated.text());
    return updated;
  }
}
