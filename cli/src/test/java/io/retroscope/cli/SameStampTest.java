// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each command refuses two different events of one node with one stamp. */
class SameStampTest {
  private static final List<String> LINES =
      List.of(
          "{\"node\":\"a\",\"log\":\"app\",\"hlc\":1795200000000000,\"set\":{\"x\":1}}",
          "{\"node\":\"b\",\"log\":\"app\",\"hlc\":1795200000000000,\"set\":{\"x\":2}}",
          "{\"node\":\"a\",\"log\":\"net\",\"hlc\":1795200000000000,\"set\":{\"x\":3}}");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "logs --file FILE",
        "import FILE --to OUT",
        "check RULES FILE",
        "align --file FILE",
        "export FILE --to OUT",
        "diff FILE FILE"
      })
  void file_withTwoEventsAtOneStamp_isRefusedWithBothPlaces(String command) throws IOException {
    Path file = Files.write(folder.resolve("one.ndjson"), LINES);
    Path rules =
        Files.writeString(folder.resolve("r.rql"), "CREATE RULE r AS (NEVER x@a = 1 FROM app);\n");
    Path out = folder.resolve("out.ndjson");
    String[] words =
        Stream.of(command.split(" "))
            .map(word -> word.replace("FILE", file.toString()))
            .map(word -> word.replace("RULES", rules.toString()))
            .map(word -> word.replace("OUT", out.toString()))
            .toArray(String[]::new);
    CommandRun run = CommandRun.of(words);
    assertThat(run.exitCode()).as(run.toString()).isNotZero();
    assertThat(run.out() + run.err())
        .contains(
            "node \"a\" has two different events at 1795200000000000.0, %s:1 and %s:3"
                .formatted(file, file))
        .contains("give each event its own");
    assertThat(out).doesNotExist();
  }
}
