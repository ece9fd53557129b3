// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportExportTest {
  private static final String EVENTS =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","seq":1,"set":{"r1":1}}
      {"node":"zk1","log":"net","hlc":"1795200000000010.0","seq":2,"send":{"to":"zk2","id":"m1"}}
      {"node":"zk2","log":"net","hlc":"1795200000000020.0","receive":{"from":"zk1","id":"m1"}}
      {"node":"zk2","log":"app","hlc":"1795200000000030.0","message":"a \\"b\\", c","fields":{"ms":3}}
      {"node":"zk2","hlc":"1795200000000040.0","stop":true}
      """;

  @TempDir Path folder;

  @Test
  void import_garbageNamedNdjson_isBadJsonAndNoShivizLog() throws IOException {
    CommandRun run = importTo("out.ndjson", file("in.ndjson", "garbage\n").toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("in.ndjson:1:").doesNotContain("regular expression");
  }

  @Test
  void import_arrayOfObjects_isReadOrNamed() throws IOException {
    String span =
        "{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":1795200000000000,\"duration\":10,\"localEndpoint\":{\"serviceName\":\"a\"}}";
    for (String name : List.of("spans.json", "spans.txt", "spans.ndjson")) {
      for (String text : List.of("[" + span + "]", "[\n  " + span + "\n]\n")) {
        CommandRun run = importTo("out.ndjson", file(name, text).toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
            .isEqualTo("imported 4 events of 1 node with 0 messages, from 1 execution\n");
      }
    }
    CommandRun run = importTo("out.ndjson", file("a.json", "[{\"a\":1,\"b\":2}]").toString());
    assertThat(run.err())
        .contains(
            "a.json:1: this is one array of JSON of objects with the fields \"a\", \"b\": arrays");
  }

  @Test
  void import_numbersThatJsonDoesNotHave_areKeptInSetsStructsAndFields() throws IOException {
    String lines =
        """
        {"node":"a","log":"m","hlc":"1795200000000001.0","set":{"s":[-Infinity,1.5,NaN],"d":{"x":NaN,"y":[Infinity]}}}
        {"node":"a","log":"m","hlc":"1795200000000002.0","message":"m","fields":{"ms":NaN}}
        {"node":"b","log":"m","hlc":"1795200000000003.0","add":{"s":[NaN]}}
        """;
    assertThat(importTo("out.ndjson", file("in.ndjson", lines).toString()).exitCode()).isZero();
    assertThat(folder.resolve("out.ndjson")).hasContent(lines);
    String again = folder.resolve("out.ndjson").toString();
    assertThat(CommandRun.of("export", again).out()).isEqualTo(lines);
  }

  @Test
  void import_startBelowEarlierEvents_isRemarked() throws IOException {
    String lines =
        """
        {"node":"n","log":"l","hlc":"1795200100000000.0","set":{"v":3}}
        {"node":"n","hlc":"1795200050000000.0","start":{"incarnation":"2"}}
        {"node":"n","log":"l","hlc":"1795200060000000.0","set":{"v":2}}
        """;
    assertThat(importTo("out.ndjson", file("in.ndjson", lines).toString()).err())
        .contains(
            "warning: node n: its start at 2026-11-20T18:40:50.000000Z comes after its events up to"
                + " 2026-11-20T18:41:40.000000Z in the file");
  }

  @Test
  void import_ndjsonToFile_keepsEveryEvent() throws IOException {
    Path in = file("in.ndjson", "\uFEFF" + EVENTS.replace("\n", "\r\n\r\n"));
    CommandRun run = importTo("out.ndjson", in.toString(), "--summary", "json");
    assertThat(run)
        .isEqualTo(
            new CommandRun(0, "{\"events\":5,\"nodes\":2,\"messages\":1,\"executions\":1}\n", ""));
    assertThat(folder.resolve("out.ndjson")).hasContent(EVENTS);
  }

  @Test
  void export_onlyOneLog_leavesOutTheNumbersThatWouldShowGaps() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    CommandRun run = CommandRun.of("export", in.toString(), "--log", "net");
    assertThat(run.out()).hasLineCount(4).doesNotContain("\"seq\"");
  }

  @Test
  void import_toAFolderThatIsNotThere_namesTheFolder() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    assertThat(importTo("none/out.ndjson", in.toString()).err())
        .isEqualTo("error: " + folder.resolve("none") + ": there is no such file or folder\n");
    assertThat(importTo("out.ndjson", folder.toString()).err())
        .isEqualTo("error: " + folder + ": is a folder\n");
  }

  @Test
  void export_selection_takesTimesAndStamps() throws IOException {
    String in = file("in.ndjson", EVENTS).toString();
    assertThat(
            CommandRun.of(
                    "export",
                    in,
                    "--from",
                    "hlc'1795200000000010.0'",
                    "--until",
                    "2026-11-20T18:40:00.000030Z",
                    "--node",
                    "zk2")
                .out())
        .hasLineCount(3)
        .contains("only of zk2", "\"receive\"", "\"message\"");
    assertThat(CommandRun.of("export", in, "--from", "noon").err())
        .contains("\"noon\" is not a time: write 2026-11-20T18:40:00Z, or a stamp like");
    assertThat(CommandRun.of("export", in, "--from", "2.0", "--until", "1.0").exitCode())
        .isEqualTo(2);
  }

  @Test
  void import_ownBlocks_areRecognised() throws IOException {
    Event event =
        new Event(
            "n",
            "l",
            5,
            new EventBody.StateChange(
                List.of(new EventBody.Change(EventBody.Operation.SET, "x", Value.of("y")))));
    Path in = folder.resolve("in.bin");
    Files.write(in, EventBlockCodec.encode(EventBlock.of(List.of(event))));
    assertThat(importTo("out.ndjson", in.toString()).exitCode()).isZero();
    assertThat(Files.readString(folder.resolve("out.ndjson")))
        .startsWith("{\"node\":\"n\",\"log\":\"l\",\"hlc\":\"")
        .endsWith("\"set\":{\"x\":\"y\"}}\n")
        .hasLineCount(1);
  }

  @Test
  void import_damagedBlocks_areRefusedWithTheirPlace() throws IOException {
    Path in = folder.resolve("in.bin");
    byte[] bytes =
        EventBlockCodec.encode(
            EventBlock.of(List.of(new Event("n", "l", 5, new EventBody.Send("", "id")))));
    bytes[bytes.length - 1] ^= 1;
    Files.write(in, bytes);
    assertThat(importTo("out.ndjson", in.toString()))
        .isEqualTo(
            new CommandRun(1, "", "error: " + in + ": byte 0: the checksum does not match\n"));
  }

  @Test
  void import_oneBadLineInTheLastFile_changesNothing() throws IOException {
    Path before = file("out.ndjson", "as it was\n");
    Path good = file("good.ndjson", EVENTS);
    Path bad = file("bad.ndjson", EVENTS + "{\"node\":\"a\",\"hlc\":1.5}\n");
    CommandRun run = importTo("out.ndjson", good.toString(), bad.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("error: " + bad + ":6: field \"hlc\" loses digits");
    assertThat(before).hasContent("as it was\n");
    assertThat(files()).containsExactly("bad.ndjson", "good.ndjson", "out.ndjson");
  }

  @Test
  void import_shivizWithOwnExpression_isOneExecutionOfAllFiles() throws IOException {
    Path a = file("a.log", "ping\na {\"a\":1}\n");
    Path b = file("b.log", "pong\r\nb {\"a\":1, \"b\":1}\r\n");
    CommandRun run =
        importTo(
            "out.ndjson",
            a.toString(),
            b.toString(),
            "--regex",
            "(?<event>.*)\\n(?<host>\\w+) (?<clock>{.*})",
            "--log",
            "games",
            "--summary",
            "json");
    assertThat(run.out()).isEqualTo("{\"events\":2,\"nodes\":2,\"messages\":1,\"executions\":1}\n");
    assertThat(Files.readString(folder.resolve("out.ndjson")))
        .contains("\"log\":\"games\"")
        .hasLineCount(4);
  }

  @Test
  void import_textThatIsNoUtf8_isRefused() throws IOException {
    Path in = folder.resolve("latin.log");
    Files.write(in, "a {\"a\":1}\nh\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(importTo("out.ndjson", in.toString()).err())
        .isEqualTo("error: " + in + ": is not valid UTF-8\n");
  }

  @Test
  void import_textTooLongToMatch_isRefused() throws IOException {
    Path in = folder.resolve("long.log");
    try (RandomAccessFile sparse = new RandomAccessFile(in.toFile(), "rw")) {
      sparse.setLength((256L << 20) + 1);
    }
    assertThat(importTo("out.ndjson", in.toString(), "--format", "shiviz").err())
        .isEqualTo("error: " + in + ": has more than 256 MiB\n");
  }

  @Test
  void import_toAndServer_excludeEachOther() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    assertThat(importTo("out.ndjson", in.toString(), "--server", "localhost:1").exitCode())
        .isEqualTo(2);
  }

  @Test
  void export_csv_hasALineForEachVariable() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    assertThat(CommandRun.of("export", in.toString(), "--format", "csv").out())
        .isEqualTo(
            """
            hlc,node,log,pt,seq,kind,name,value
            1795200000000000.0,zk1,setd,,1,set,r1,1
            1795200000000010.0,zk1,net,,2,send,m1,zk2
            1795200000000020.0,zk2,net,,,receive,m1,zk1
            1795200000000030.0,zk2,app,,,message,,"a ""b"", c"
            1795200000000030.0,zk2,app,,,field,ms,3
            1795200000000040.0,zk2,,,,stop,,
            """);
  }

  @Test
  void import_pipe_isRefusedBecauseItIsReadTwice() throws IOException {
    Path out = folder.resolve("out.ndjson");
    CommandRun run = CommandRun.of("import", "-", "--to", out.toString());
    assertThat(run.err())
        .isEqualTo("error: -: import reads its input twice: write it into a file first\n");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(out).doesNotExist();
  }

  @Test
  void import_compressedFile_isRead() throws IOException {
    Path in = folder.resolve("events.gz");
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(in))) {
      gzip.write(EVENTS.getBytes(StandardCharsets.UTF_8));
    }
    Path out = folder.resolve("out.ndjson");
    Path plain = Files.writeString(folder.resolve("plain.ndjson"), EVENTS);
    Path expected = folder.resolve("expected.ndjson");
    CommandRun.of("import", plain.toString(), "--to", expected.toString());

    assertThat(CommandRun.of("import", in.toString(), "--to", out.toString()).exitCode()).isZero();
    assertThat(out).hasSameTextualContentAs(expected);
  }

  @Test
  void export_nothingFits_warns() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    CommandRun run = CommandRun.of("export", in.toString(), "--node", "zk9", "--format", "csv");
    assertThat(run.out()).isEqualTo("hlc,node,log,pt,seq,kind,name,value\n");
    assertThat(run.err())
        .isEqualTo(
            """
            warning: the events are a part of a recording: only of zk9
            warning: no event was found that fits
            """);
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void export_csvForASpreadsheet_keepsTextsFromBeingComputed() throws IOException {
    Path in =
        file(
            "in.ndjson",
            """
            {"node":"-a","log":"l","hlc":"1.0","set":{"=x":"=1+2","n":-5}}
            {"node":"a","log":"l","hlc":"2.0","message":"=SUM(A1)\\nn\u00e4chste, \\"Zeile\\""}
            """);
    assertThat(CommandRun.of("export", in.toString(), "--format", "csv").out())
        .isEqualTo(
            """
            hlc,node,log,pt,seq,kind,name,value
            1.0,'-a,l,,,set,'=x,\"""=1+2\"""
            1.0,'-a,l,,,set,n,-5
            2.0,a,l,,,message,,"'=SUM(A1)
            n\u00e4chste, ""Zeile""\"
            """);
  }

  @Test
  void export_onlyOneLog_keepsStarts() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    assertThat(CommandRun.of("export", in.toString(), "--log", "setd").out().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"part\"", "only of log setd"),
            line -> assertThat(line).contains("\"setd\""),
            line -> assertThat(line).contains("\"stop\""));
  }

  @Test
  void importThenExport_overAServer_giveBackTheSameEvents() throws IOException {
    Path in = file("in.ndjson", EVENTS);
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("store")).port(0).build())) {
      String address = server.uri().toString();
      CommandRun first = CommandRun.of("import", in.toString(), "--server", address);
      assertThat(first.exitCode()).isZero();
      assertThat(first.out())
          .isEqualTo("imported 5 events of 2 nodes with 1 message, from 1 execution\n");
      CommandRun again = CommandRun.of("import", in.toString(), "--server", address);
      assertThat(again.err()).isEqualTo("5 events were there already and were skipped\n");
      assertThat(CommandRun.of("export", "--server", address).out()).isEqualTo(EVENTS);
      assertThat(CommandRun.of("export", "--server", address, "--log", "absent"))
          .isEqualTo(
              new CommandRun(
                  1, "", "error: " + address + " refused: nothing is stored for log absent\n"));
      Path conflict = file("c.ndjson", EVENTS.replace("\"r1\":1", "\"r1\":2"));
      CommandRun refused = CommandRun.of("import", conflict.toString(), "--server", address);
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).startsWith("error: " + address + " refused: line 1");
    }
  }

  private CommandRun importTo(String out, String... arguments) {
    return CommandRun.of(
        Stream.concat(
                Stream.of("import", "--to", folder.resolve(out).toString()), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }
}
