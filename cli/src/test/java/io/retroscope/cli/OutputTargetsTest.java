// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each command that writes a file does with a target that is no regular file. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "needs links and pipes of POSIX")
@Timeout(120)
class OutputTargetsTest {
  private static final String EVENTS =
      """
      {"node":"a","log":"l","hlc":"1000000.0","set":{"x":1}}
      {"node":"b","log":"l","hlc":"2000000.0","set":{"x":2}}
      """;
  private static final String SOUND = "SELECT x FROM l PLAY woodblock NOTE 60 + SPREAD(x);";

  @TempDir Path folder;

  /** The commands, with the name of the file that they write. */
  @SuppressWarnings("ImmutableEnumChecker") // its lists cannot be changed
  private enum Writer {
    EXPORT("out.ndjson", "export", "EVENTS", "--to", "TARGET"),
    IMPORT("out.ndjson", "import", "EVENTS", "--to", "TARGET"),
    CHECK("out.xml", "check", "RULES", "EVENTS", "--report", "TARGET"),
    MIDI("out.mid", "render", "--file", "EVENTS", "--to", "TARGET", "SOUND"),
    WAV("out.wav", "render", "--file", "EVENTS", "--to", "TARGET", "SOUND");

    private final String file;
    private final List<String> words;

    Writer(String file, String... words) {
      this.file = file;
      this.words = List.of(words);
    }
  }

  @BeforeEach
  void writeInputs() throws IOException {
    Files.writeString(folder.resolve("events.ndjson"), EVENTS);
    Files.writeString(
        folder.resolve("rules.rql"), "CREATE RULE high AS (NEVER MAX(x) > 9 FROM l);\n");
  }

  @ParameterizedTest
  @EnumSource
  void pipe_isWrittenThrough(Writer writer) throws Exception {
    byte[] expected = written(writer);
    Path pipe = folder.resolve(writer.file);
    Files.delete(pipe);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> read(pipe));
    run(writer, pipe);
    assertThat(read.get().length).isEqualTo(expected.length);
    assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void link_isFollowed(Writer writer) throws Exception {
    byte[] expected = written(writer);
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path link = folder.resolve(writer.file);
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("inner", writer.file));
    run(writer, link);
    assertThat(link).isSymbolicLink();
    assertThat(Files.size(inner.resolve(writer.file))).isEqualTo(expected.length);
  }

  private byte[] written(Writer writer) {
    Path file = folder.resolve(writer.file);
    run(writer, file);
    return read(file);
  }

  private void run(Writer writer, Path target) {
    List<String> words = new ArrayList<>();
    for (String word : writer.words) {
      words.add(
          switch (word) {
            case "EVENTS" -> folder.resolve("events.ndjson").toString();
            case "RULES" -> folder.resolve("rules.rql").toString();
            case "TARGET" -> target.toString();
            case "SOUND" -> SOUND;
            default -> word;
          });
    }
    CommandRun run = CommandRun.of(words.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
