// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.command.ShellCommand;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.sonify.bank.Instrument;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.Sequence;
import javax.sound.sampled.AudioSystem;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoundCommandsTest {
  private static final String EVENTS =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
      {"node":"zk2","log":"setd","hlc":"1795200000500000.0","set":{"r1":1}}
      {"node":"zk1","log":"setd","hlc":"1795200001000000.0","set":{"r1":5}}
      """;

  @TempDir Path folder;

  @Test
  void render_fileAndSoundscape_writesBothFormats() throws Exception {
    Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
    Path soundscape =
        Files.writeString(
            folder.resolve("s.rql"),
            """
            # two layers
            SELECT r1 FROM setd PLAY woodblock NOTE 60 + SPREAD(r1);
            SELECT r1 FROM setd WHEN SPREAD(r1) > 2 PLAY 'Electric Piano 1' NOTE 72;
            """);
    Path wav = folder.resolve("a.wav");
    Path midi = folder.resolve("a.mid");
    CommandRun run =
        CommandRun.of(
            "render",
            "--file",
            events.toString(),
            "--soundscape",
            soundscape.toString(),
            "--to",
            wav.toString(),
            "--to",
            midi.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo("wrote %s: 4 notes in 1.2 s\nwrote %s: 4 notes in 1.2 s\n".formatted(wav, midi));
    Sequence sequence = MidiSystem.getSequence(midi.toFile());
    assertThat(sequence.getMicrosecondLength()).isEqualTo(1_200_000);
    assertThat(AudioSystem.getAudioFileFormat(wav.toFile()).getFrameLength())
        .isEqualTo((int) (2.2 * 44_100));
  }

  @Test
  void render_unknownInstrument_isAStatementsError() throws IOException {
    CommandRun run = render("SELECT r1 FROM setd PLAY theremin");
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).startsWith("error: unknown instrument \"theremin\": did you mean ");
  }

  @Test
  void shell_instrumentsThatCompletionOffers_areKnownAndOneWordEach() {
    assertThat(ShellCommand.SOUND.instruments())
        .hasSize(128)
        .allMatch(word -> word.matches("[a-z][a-z0-9_]*"))
        .allSatisfy(word -> assertThat(Instrument.named(word)).isNotNull());
  }

  @Test
  void render_withoutPlay_says() throws IOException {
    CommandRun run = render("SELECT r1 FROM setd");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo("error: nothing sounds: no row of a query with PLAY was found\n");
  }

  @Test
  void render_stream_isRefused() throws IOException {
    CommandRun run = render("SELECT STREAM r1 FROM setd PLAY flute");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("leave out STREAM, or use listen");
  }

  @Test
  void render_otherFileName_isRefused() throws IOException {
    Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
    CommandRun run =
        CommandRun.of(
            "render", "--file", events.toString(), "--to", "a.mp3", "SELECT r1 FROM setd");
    assertThat(run)
        .isEqualTo(
            new CommandRun(
                2, "", "error: a.mp3: the name must end in .wav, .mid, .midi or .png\n"));
  }

  private static final String LEVELS =
      """
      SELECT STREAM r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES
        PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;
      SELECT r1 FROM setd PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;
      """;

  @Test
  void render_soundscapeAndEventsAsArguments_soundsLevels() throws Exception {
    Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
    Path soundscape = Files.writeString(folder.resolve("s.rql"), LEVELS);
    Path wav = folder.resolve("a.wav");
    CommandRun run =
        CommandRun.of(
            "render",
            soundscape.toString(),
            events.toString(),
            "--real-time",
            "--until",
            "1795200001500000.0",
            "--bits",
            "24",
            "--lines",
            "--to",
            wav.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .startsWith("hlc'1795200000000000.0' 2 pad: background begins")
        .contains("hlc'1795200001000000.0' 1 wood zk2: level 4")
        .endsWith("wrote %s: 5 notes in 1.8 s".formatted(wav));
    assertThat(AudioSystem.getAudioFileFormat(wav.toFile()).getFormat().getSampleSizeInBits())
        .isEqualTo(24);
  }

  @Test
  void render_badStatement_isExplainedAsWritten() throws IOException {
    CommandRun run = render("SELECT r1 FROM setd PLAY wood LEVEL SPREAD(r2)");
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).contains("unknown variable \"r2\"").contains("LEVEL SPREAD(r2)");
  }

  @Test
  void render_badBits_isRefused() {
    assertThat(CommandRun.of("render", "--to", "a.wav", "--bits", "8", "SELECT a FROM l").err())
        .isEqualTo("error: --bits is 16 or 24\n");
  }

  @Test
  void sounds_listsTheBank_andWarns() throws IOException {
    CommandRun run = CommandRun.of("sounds");
    assertThat(run.out().lines()).hasSize(12).first().asString().startsWith("wood   struck ");
    Path alike =
        Files.writeString(
            folder.resolve("s.rql"), "SELECT a FROM l PLAY wood; SELECT b FROM l PLAY woodblock;");
    assertThat(CommandRun.of("sounds", alike.toString()).err())
        .startsWith("warning: the rules 1 wood and 2 wood sound alike");
  }

  @Test
  void listen_listDevices_saysIfThereAreNone() {
    assertThat(CommandRun.of("listen", "--list-devices").out()).isNotBlank();
  }

  @Test
  void listen_serverLostAndBack_hasALineForEach() throws Exception {
    Path soundscape = Files.writeString(folder.resolve("s.rql"), LEVELS);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int port = LoopbackPorts.take(1, new Random())[0];
    LogServer first = LogServer.start(ServerConfig.in(folder.resolve("store")).port(port).build());
    Thread listener =
        new Thread(
            () ->
                Retroscope.run(
                    new PrintWriter(out),
                    new PrintWriter(err),
                    Map.of(),
                    "listen",
                    "--server",
                    first.uri().toString(),
                    soundscape.toString()));
    listener.start();
    awaitListener(first.uri());
    first.close();
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> out.toString().contains("server: lost"));
    try (LogServer second =
        LogServer.start(ServerConfig.in(folder.resolve("store")).port(port).build())) {
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> out.toString().contains("server: back"));
      assertThat(second.port()).isEqualTo(port);
      listener.interrupt();
      listener.join(TimeUnit.SECONDS.toMillis(60));
      assertThat(listener.isAlive()).isFalse();
    }
    assertThat(err.toString()).contains("connecting again");
  }

  @Test
  @Tag("slow")
  void listen_serverKilled_isLostWithinFiveSecondsAndBackOnce() throws Exception {
    Path soundscape = Files.writeString(folder.resolve("s.rql"), LEVELS);
    StringWriter out = new StringWriter();
    int port = LoopbackPorts.take(1, new Random())[0];
    URI address = URI.create("http://127.0.0.1:" + port);
    Process first = server(port);
    try {
      Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> queryCount(address) == 1);
      CompletableFuture<Integer> exitCode =
          CompletableFuture.supplyAsync(
              () ->
                  Retroscope.run(
                      new PrintWriter(out),
                      new PrintWriter(new StringWriter()),
                      Map.of(),
                      "listen",
                      "--server",
                      address.toString(),
                      "--for",
                      "60s",
                      soundscape.toString()));
      awaitListener(address);
      long killed = System.nanoTime();
      first.destroyForcibly(); // kill -9
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .pollInterval(20, TimeUnit.MILLISECONDS)
          .until(() -> out.toString().contains("server: lost"));
      System.out.printf(
          "kill -9 of the server: heard after %.1f s%n", (System.nanoTime() - killed) / 1e9);
      Process second = server(port);
      try {
        Awaitility.await()
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> out.toString().contains("server: back"));
        assertThat(exitCode.get(120, TimeUnit.SECONDS)).isZero();
      } finally {
        second.destroyForcibly().waitFor();
      }
      assertThat(out.toString().lines().filter("server: back"::equals)).hasSize(1);
    } finally {
      first.destroyForcibly().waitFor();
    }
  }

  private Process server(int port) throws IOException {
    List<String> command =
        new ArrayList<>(QuickJava.command(System.getProperty("java.class.path")));
    command.addAll(List.of("io.retroscope.cli.Retroscope", "server"));
    command.addAll(List.of("--data", folder.resolve("killed").toString()));
    command.addAll(List.of("--port", Integer.toString(port)));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("server.log").toFile())
        .start();
  }

  /**
   * Waits until both queries of a listener are there for as long as the server is silent at most: a
   * listener that is still connecting would end with the server.
   */
  private static void awaitListener(URI server) {
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .during(3, TimeUnit.SECONDS)
        .until(() -> queryCount(server) == 3);
  }

  /** Running queries, including the one that counts them; 0 without a server. */
  private static int queryCount(URI server) {
    AtomicInteger count = new AtomicInteger();
    try (RqlClient client = new RqlClient(server)) {
      client.run("SHOW QUERIES", new CountingSink(count));
      return count.get();
    } catch (IOException | RuntimeException e) {
      return 0; // not started yet
    }
  }

  private record CountingSink(AtomicInteger count) implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      count.incrementAndGet();
      return true;
    }

    @Override
    public void warning(String message) {}
  }

  @Test
  void listen_liveServer_printsRowsUntilTheTimeIsOver() throws Exception {
    Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
    Path heartbeats =
        Files.writeString(
            folder.resolve("h.ndjson"),
            """
            {"node":"zk1","hlc":"1795200002000000.0","heartbeat":true}
            {"node":"zk2","hlc":"1795200002000000.0","heartbeat":true}
            """);
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("store")).port(0).build())) {
      String address = server.uri().toString();
      CommandRun.of("import", events.toString(), "--server", address);
      CommandRun.of("import", heartbeats.toString(), "--server", address);
      CommandRun run = listen(address, 2);
      // On a busy machine more time may pass before the rows are there.
      for (int seconds = 8; seconds <= 32 && !run.out().contains("\"s\":4"); seconds *= 2) {
        run = listen(address, seconds);
      }
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out().lines())
          .hasSize(3)
          .allMatch(line -> line.startsWith("{\"hlc\":\"17952000"));
      assertThat(folder.resolve("rows")).hasContent(run.out());
      assertThat(run.err().lines().filter(line -> line.contains("no live sound")))
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  /** Listens for a while to a query whose rows a program writes to the file {@code rows}. */
  private CommandRun listen(String address, int seconds) throws IOException {
    Path rows = folder.resolve("rows");
    Files.deleteIfExists(rows);
    return CommandRun.of(
        "listen",
        "--server",
        address,
        "--for",
        seconds + "s",
        "SELECT STREAM SPREAD(r1) AS s FROM setd ON TIME hlc'1795200000000000.0'"
            + " PLAY woodblock NOTE 60",
        "--exec",
        "tee",
        "--append",
        rows.toString());
  }

  @Test
  void listen_tooManyQueries_isRefused() {
    CommandRun run = CommandRun.of("listen", "SELECT STREAM a FROM l PLAY flute;".repeat(33));
    assertThat(run)
        .isEqualTo(new CommandRun(2, "", "error: at most 32 queries can be listened to at once\n"));
  }

  @Test
  void listen_withoutStream_isRefused() {
    assertThat(CommandRun.of("listen", "SELECT r1 FROM setd PLAY flute").exitCode()).isEqualTo(2);
  }

  private CommandRun render(String query) throws IOException {
    Path events = Files.writeString(folder.resolve("e.ndjson"), EVENTS);
    return CommandRun.of(
        "render", "--file", events.toString(), "--to", folder.resolve("a.mid").toString(), query);
  }
}
