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
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs every golden query, in one slice and in many; {@code -Dgolden.update} rewrites the expected
 * results instead.
 */
class GoldenTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden");

  @TestFactory
  Stream<DynamicContainer> golden() throws IOException {
    List<Path> files;
    try (Stream<Path> paths = Files.list(FOLDER)) {
      files = paths.filter(path -> path.toString().endsWith(".rqltest")).sorted().toList();
    }
    List<DynamicContainer> containers = new ArrayList<>();
    for (Path path : files) {
      GoldenFile file = GoldenFile.read(path);
      if (System.getProperty("golden.update") != null) {
        file = update(file);
      }
      containers.add(DynamicContainer.dynamicContainer(path.getFileName().toString(), tests(file)));
    }
    return containers.stream();
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
