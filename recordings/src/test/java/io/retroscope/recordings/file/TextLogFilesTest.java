// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.textlog.FormatCatalog;
import io.retroscope.recordings.textlog.LinearPattern;
import io.retroscope.recordings.textlog.MessageRules;
import io.retroscope.recordings.textlog.NodeNaming;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.Incompleteness;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextLogFilesTest {
  @TempDir private Path folder;

  private final EventCollector read = new EventCollector();

  private Path write(String name, String... lines) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, String.join("\n", lines) + "\n");
    return file;
  }

  private Path gzip(String name, String... lines) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    Path file = folder.resolve(name);
    Files.write(file, bytes.toByteArray());
    return file;
  }

  private void read(TextLogSettings settings, Path... files) throws IOException {
    read(new InputSettings(Optional.empty(), Optional.empty(), false, false, settings, 0), files);
  }

  private void read(InputSettings input, Path... files) throws IOException {
    new EventFileSet(
            List.of(files),
            new EventFileSet.Settings(
                events -> ClockOffsets.UNKNOWN,
                EventFile.ClockText.NONE,
                EventFileSet.Listener.NONE,
                Optional.empty(),
                new ByteArrayInputStream(new byte[0]),
                1 << 20,
                input))
        .readAll(read);
  }

  private static TextLogSettings with(
      ZoneId zone, Map<String, ZoneId> fileZones, NodeNaming naming, MessageRules rules) {
    return new TextLogSettings(
        FormatCatalog.BUILT_IN,
        Optional.empty(),
        Optional.of(zone),
        fileZones,
        naming,
        TextLogSettings.DEFAULT_LOG,
        rules);
  }

  private static TextLogSettings zone(String zone) {
    return with(ZoneId.of(zone), Map.of(), NodeNaming.BY_FILE, MessageRules.NONE);
  }

  private static TextLogSettings rules(List<String> set, List<String> send, List<String> receive) {
    return with(
        ZoneId.of("UTC"), Map.of(), NodeNaming.BY_FILE, MessageRules.of(set, send, receive));
  }

  /** The node, the time and the kind or message of each event, in the order of stamps. */
  private List<String> events() {
    List<Event> events = new ArrayList<>(read.events());
    events.sort((a, b) -> Long.compare(a.hlc(), b.hlc()));
    return events.stream()
        .map(
            event ->
                event.node()
                    + " "
                    + HlcTimestamp.isoMicros(HlcTimestamp.micros(event.hlc())).substring(0, 19)
                    + "."
                    + HlcTimestamp.logical(event.hlc())
                    + " "
                    + body(event.body()))
        .toList();
  }

  private static String body(EventBody body) {
    if (body instanceof EventBody.LogLine line) {
      return line.message();
    }
    if (body instanceof EventBody.StateChange state) {
      return state.changes().toString().replaceAll("Change\\[operation=SET, ", "[");
    }
    return body.toString();
  }

  private List<String> reasons() {
    return read.reasons().stream().map(Incompleteness::sentence).toList();
  }

  @Test
  void twoFiles_areTwoNodesWithDerivedStamps() throws IOException {
    Path a = write("a.log", "2026-11-20 18:40:00 INFO one", "2026-11-20 18:40:00 INFO two");
    Path b = write("b.log", "2026-11-20 18:39:59 INFO three");

    read(TextLogSettings.DEFAULT, a, b);

    assertThat(events())
        .containsExactly(
            "b 2026-11-20T18:39:59.0 three",
            "a 2026-11-20T18:40:00.0 one",
            "a 2026-11-20T18:40:00.1 two");
    assertThat(reasons()).containsExactly("derived stamps: order between nodes rests on clocks");
  }

  @Test
  void rotatedFiles_areOneNode() throws IOException {
    Path now = write("app.log", "2026-11-20 18:42:00 INFO c");
    Path before = write("app.log.1", "2026-11-20 18:41:00 INFO b");
    Path first = gzip("app.log.2.gz", "2026-11-20 18:40:00 INFO a");

    read(TextLogSettings.DEFAULT, now, before, first);

    assertThat(events())
        .containsExactly(
            "app 2026-11-20T18:40:00.0 a",
            "app 2026-11-20T18:41:00.0 b",
            "app 2026-11-20T18:42:00.0 c");
    assertThat(reasons()).containsExactly("derived stamps: times and order are those of the lines");
  }

  @Test
  void numbersBeforeTheEnding_areThoseOfRotationBesideAFileWithout() throws IOException {
    Path now = write("app.log", "2026-11-20 18:42:00 INFO b");
    Path before = write("app.1.log", "2026-11-20 18:41:00 INFO a");

    read(TextLogSettings.DEFAULT, now, before);

    assertThat(events())
        .containsExactly("app 2026-11-20T18:41:00.0 a", "app 2026-11-20T18:42:00.0 b");
  }

  /** The memory of an entry is used again for later ones. */
  @Test
  void levelsAndThreads_areThoseOfEachLine() throws IOException {
    Path a =
        write(
            "a.log",
            "2026-11-20 18:40:00 [one] INFO a",
            "2026-11-20 18:40:01 WARN b",
            "2026-11-20 18:40:02 c",
            "2026-11-20 18:40:03 [two] ERROR d",
            "2026-11-20 18:40:04 [three] e");

    read(TextLogSettings.DEFAULT, a);

    assertThat(read.events())
        .extracting(event -> ((EventBody.LogLine) event.body()).fields().toString())
        .containsExactly(
            "{thread=StringValue[value=one], level=StringValue[value=INFO]}",
            "{level=StringValue[value=WARN]}",
            "{}",
            "{thread=StringValue[value=two], level=StringValue[value=ERROR]}",
            "{thread=StringValue[value=three]}");
  }

  @Test
  void numbersOfNodes_areNotThoseOfRotation() throws IOException {
    Path one = write("zk-1.log", "2026-11-20 18:40:00 INFO a");
    Path two = write("zk-2.log", "2026-11-20 18:40:01 INFO b");
    Path three = write("zk.3.log", "2026-11-20 18:40:02 INFO c");

    read(TextLogSettings.DEFAULT, one, two, three);

    assertThat(read.events()).extracting(Event::node).containsExactly("zk-1", "zk-2", "zk.3");
  }

  @Test
  void equalNamesInSeveralFolders_areSeveralNodes() throws IOException {
    Path a = write("n1/system.log", "2026-11-20 18:40:00 INFO a");
    Path b = write("n2/system.log", "2026-11-20 18:40:01 INFO b");

    read(TextLogSettings.DEFAULT, a, b);

    assertThat(read.events()).extracting(Event::node).containsExactly("n1/system", "n2/system");
  }

  @Test
  void nodeFrom_namesNodesByTheirPaths() throws IOException {
    Path a = write("n1/system.log", "2026-11-20 18:40:00 INFO a");
    NodeNaming naming =
        new NodeNaming(Optional.empty(), Optional.of(new LinearPattern("(?<node>[^/]+)/system")));

    read(with(ZoneId.of("UTC"), Map.of(), naming, MessageRules.NONE), a);

    assertThat(read.events()).extracting(Event::node).containsExactly("n1");
  }

  @Test
  void zones_areOfAllFilesOrOfOne() throws IOException {
    Path a = write("a.log", "2026-07-20 18:40:00 INFO a");
    Path b = write("b.log", "2026-07-20 18:40:00 INFO b");

    read(
        with(
            ZoneId.of("Europe/Berlin"),
            Map.of("b.log", ZoneId.of("-05:00")),
            NodeNaming.BY_FILE,
            MessageRules.NONE),
        a,
        b);

    assertThat(events()).containsExactly("a 2026-07-20T16:40:00.0 a", "b 2026-07-20T23:40:00.0 b");
  }

  @Test
  void someFilesWithoutZone_isRemarked() throws IOException {
    Path a = write("a.log", "2026-07-20 18:40:00 INFO a");
    Path b = write("b.log", "2026-07-20T18:40:00Z INFO b");

    read(TextLogSettings.DEFAULT, a, b);

    assertThat(reasons()).anyMatch(reason -> reason.contains("are read as UTC"));
  }

  @Test
  void timesWithoutYear_onALeapDay_areOfAYearThatHasIt() throws IOException {
    Path a = write("a.log", "Feb 29 12:00:00 h p[1]: leap");
    Files.setLastModifiedTime(a, FileTime.from(Instant.parse("2027-03-01T00:00:00Z")));

    read(TextLogSettings.DEFAULT, a);

    assertThat(events()).containsExactly("h 2024-02-29T12:00:00.0 leap");
    assertThat(reasons())
        .anyMatch(reason -> reason.contains("no year: the last one is taken to be of 2024, by"));
  }

  @Test
  void timesWithoutYear_passNewYear() throws IOException {
    Path a =
        write(
            "a.log",
            "Dec 31 23:59:59 h p[1]: old",
            "Jan  1 00:00:01 h p[1]: new",
            "Dec 31 23:59:59 h p[1]: late");
    Files.setLastModifiedTime(a, FileTime.from(Instant.parse("2026-01-02T00:00:00Z")));

    read(TextLogSettings.DEFAULT, a);

    assertThat(events())
        .containsExactly(
            "h 2025-12-31T23:59:59.0 old",
            "h 2026-01-01T00:00:01.0 new",
            "h 2026-01-01T00:00:01.1 late");
    assertThat(reasons())
        .anyMatch(reason -> reason.contains("a.log:3: the time goes back"))
        .anyMatch(
            reason ->
                reason.startsWith(
                    a + ": its times have no year: the last one is taken to be of 2025, by"));
  }

  @Test
  void timesOverSeveralYears_endWithTheLastChange() throws IOException {
    Path a =
        write(
            "a.log",
            "Nov 1 00:00:00 h p: a",
            "Feb 1 00:00:00 h p: b",
            "Nov 1 00:00:00 h p: c",
            "Jan 1 00:00:00 h p: d");
    Files.setLastModifiedTime(a, FileTime.from(Instant.parse("2026-03-02T00:00:00Z")));

    read(TextLogSettings.DEFAULT, a);

    assertThat(events())
        .containsExactly(
            "h 2024-11-01T00:00:00.0 a",
            "h 2025-02-01T00:00:00.0 b",
            "h 2025-11-01T00:00:00.0 c",
            "h 2026-01-01T00:00:00.0 d");
  }

  @Test
  void timesWithoutDate_passMidnight() throws IOException {
    Path a = write("a.log", "23:59:59.500 [main] INFO x.Y - a", "00:00:00.250 [main] INFO x.Y - b");
    Files.setLastModifiedTime(a, FileTime.from(Instant.parse("2026-03-01T00:00:05Z")));

    read(TextLogSettings.DEFAULT, a);

    assertThat(events()).containsExactly("a 2026-02-28T23:59:59.0 a", "a 2026-03-01T00:00:00.0 b");
    assertThat(reasons())
        .containsOnlyOnce(
            a
                + ": its times have no date: the last one is taken to be of 2026-03-01, by the"
                + " file's last change, or the present for standard input; \"touch -d TIME FILE\""
                + " sets another");
  }

  @Test
  void timesSinceStart_endWithTheLastChange() throws IOException {
    Path a = write("a.log", "INFO[0000] a", "WARN[0012] b");
    Files.setLastModifiedTime(a, FileTime.from(Instant.parse("2026-03-01T00:00:12Z")));

    read(TextLogSettings.DEFAULT, a);

    assertThat(events()).containsExactly("a 2026-03-01T00:00:00.0 a", "a 2026-03-01T00:00:12.0 b");
    assertThat(reasons())
        .anyMatch(
            reason ->
                reason.startsWith(
                    a
                        + ": its times count from a start: the last one is taken to be of"
                        + " 2026-03-01T00:00:12Z, by the file's last change"));
  }

  @Test
  void clocksSetBack_areFollowedAndRemarked() throws IOException {
    Path a =
        write(
            "a.log",
            "2026-10-25 01:59:00 INFO summer",
            "2026-10-25 02:30:00 INFO first",
            "2026-10-25 02:59:00 INFO first end",
            "2026-10-25 02:01:00 INFO second",
            "2026-10-25 02:30:00 INFO second half",
            "2026-10-25 03:00:00 INFO winter");

    read(zone("Europe/Berlin"), a);

    assertThat(events())
        .containsExactly(
            "a 2026-10-24T23:59:00.0 summer",
            "a 2026-10-25T00:30:00.0 first",
            "a 2026-10-25T00:59:00.0 first end",
            "a 2026-10-25T01:01:00.0 second",
            "a 2026-10-25T01:30:00.0 second half",
            "a 2026-10-25T02:00:00.0 winter");
    assertThat(reasons()).anyMatch(reason -> reason.contains("clocks were set back to 2026-10-25"));
  }

  @Test
  void endOfDayAndLeapSecond_areTheNextSecond() throws IOException {
    Path a =
        write(
            "a.log",
            "2016-12-31T23:59:60Z INFO leap",
            "2017-01-01T24:00:00Z INFO end",
            "2017-01-02T00:00:01,5+00 INFO next");

    read(TextLogSettings.DEFAULT, a);

    assertThat(events())
        .containsExactly(
            "a 2017-01-01T00:00:00.0 leap",
            "a 2017-01-02T00:00:00.0 end",
            "a 2017-01-02T00:00:01.0 next");
  }

  @Test
  void orderOfDates_isThatOfTheWholeFile() throws IOException {
    Path a = write("a.log", "03/04/2026 10:00:00 INFO a", "13/04/2026 10:00:00 INFO b");
    Path b = write("b.log", "03/04/2026 10:00:00 INFO a", "03/14/2026 10:00:00 INFO b");
    Path c = write("c.log", "03/04/2026 10:00:00 INFO a");

    read(TextLogSettings.DEFAULT, a, b, c);

    assertThat(events())
        .contains(
            "a 2026-04-03T10:00:00.0 a", "b 2026-03-04T10:00:00.0 a", "c 2026-03-04T10:00:00.0 a");
    assertThat(reasons()).anyMatch(reason -> reason.startsWith(c + ": dates such as"));
  }

  @Test
  void set_makesTypedVariables() throws IOException {
    Path a =
        write(
            "a.log",
            "2026-11-20 18:40:00 INFO became leader, term=7",
            "2026-11-20 18:40:01 INFO became follower, term=8");

    read(
        rules(List.of("became (?<role>leader|follower), term=(?<term>\\d+)"), List.of(), List.of()),
        a);

    assertThat(events().get(0))
        .isEqualTo(
            "a 2026-11-20T18:40:00.0 [[variable=role, value=StringValue[value=leader]],"
                + " [variable=term, value=LongValue[value=7]]]");
    assertThat(events()).hasSize(4);
  }

  @Test
  void variableWithOneWord_isTextEverywhere() throws IOException {
    Path a = write("a.log", "2026-11-20 18:40:00 INFO v=7", "2026-11-20 18:40:01 INFO v=x");

    read(rules(List.of("v=(?<v>\\w+)"), List.of(), List.of()), a);

    assertThat(events().get(0)).contains("StringValue[value=7]");
  }

  @Test
  void receive_isAfterItsSendWhateverTheClocksSay() throws IOException {
    Path a = write("a.log", "2026-11-20 18:40:05 INFO send id=1 to b");
    Path b = write("b.log", "2026-11-20 18:40:00 INFO got id=1", "2026-11-20 18:40:01 INFO later");

    read(
        rules(
            List.of(),
            List.of("send id=(?<id>\\d+) to (?<peer>\\w+)"),
            List.of("got id=(?<id>\\d+)")),
        a,
        b);

    assertThat(events())
        .containsExactly(
            "a 2026-11-20T18:40:05.0 send id=1 to b",
            "a 2026-11-20T18:40:05.1 Send[to=b, id=1]",
            "b 2026-11-20T18:40:05.2 Receive[from=, id=1]",
            "b 2026-11-20T18:40:05.3 got id=1",
            "b 2026-11-20T18:40:05.4 later");
    assertThat(reasons())
        .containsExactly(
            "derived stamps: order between nodes rests on clocks, except for 1 message");
  }

  @Test
  void cycle_isReportedWithItsLinesAndNotAnEdge() throws IOException {
    Path a = write("a.log", "2026-11-20 18:40:01 INFO got 2", "2026-11-20 18:40:02 INFO send 1");
    Path b = write("b.log", "2026-11-20 18:40:03 INFO got 1", "2026-11-20 18:40:04 INFO send 2");

    read(rules(List.of(), List.of("send (?<id>\\d+)"), List.of("got (?<id>\\d+)")), a, b);

    assertThat(reasons())
        .contains(
            ("message \"2\" is received at %s:1 before it was sent at %s:2, by the order of the"
                    + " other messages: it is left out of the order of derived stamps")
                .formatted(a, b));
    assertThat(read.reasons())
        .anyMatch(
            reason -> reason instanceof Incompleteness.Derived derived && derived.messages() == 1);
  }

  @Test
  void idThatSeveralNodesSend_isNotAnEdge() throws IOException {
    Path a = write("a.log", "2026-11-20 18:40:05 INFO send 1");
    Path b = write("b.log", "2026-11-20 18:40:05 INFO send 1");
    Path c = write("c.log", "2026-11-20 18:40:00 INFO got 1");

    read(rules(List.of(), List.of("send (?<id>\\d+)"), List.of("got (?<id>\\d+)")), a, b, c);

    assertThat(events().get(0)).startsWith("c 2026-11-20T18:40:00");
    assertThat(reasons()).anyMatch(reason -> reason.startsWith("1 messages are left out"));
  }

  @Test
  void ndjson_getsDerivedStampsIfTheyAreWanted() throws IOException {
    Path a =
        write(
            "naive.ndjson",
            "{\"node\":\"b\",\"log\":\"app\",\"hlc\":\"1000000.0\",\"receive\":{\"id\":\"1\"}}",
            "{\"node\":\"a\",\"log\":\"app\",\"hlc\":\"5000000.0\",\"send\":{\"id\":\"1\"}}");

    read(
        new InputSettings(
            Optional.empty(), Optional.empty(), true, false, TextLogSettings.DEFAULT, 0),
        a);

    assertThat(read.events())
        .extracting(event -> event.node() + HlcTimestamp.text(event.hlc()))
        .containsExactlyInAnyOrder("a5000000.0", "b5000000.1");
    assertThat(reasons()).anyMatch(reason -> reason.endsWith("except for 1 message"));
  }

  /** Pairs of characters are read whole wherever the reader's buffers end. */
  @Test
  void utf16_isReadInBothOrders() throws IOException {
    String faces = "\uD83D\uDE00".repeat(20_000);
    List<String> lines =
        List.of("2026-11-20 18:40:00 INFO é", "2026-11-20 18:40:01 INFO x" + faces);
    String text = String.join("\r\n", lines);
    Path big = folder.resolve("big.log");
    Files.write(big, ("\uFEFF" + text).getBytes(StandardCharsets.UTF_16BE));
    Path little = folder.resolve("little.log");
    Files.write(
        little, ("\uFEFF" + text.replace("INFO x", "INFO  x")).getBytes(StandardCharsets.UTF_16LE));

    read(TextLogSettings.DEFAULT, big, little);

    assertThat(events())
        .containsExactlyInAnyOrder(
            "big 2026-11-20T18:40:00.0 é",
            "little 2026-11-20T18:40:00.0 é",
            "big 2026-11-20T18:40:01.0 x" + faces,
            "little 2026-11-20T18:40:01.0 x" + faces);
  }

  @Test
  void unknownText_isOneSentence() throws IOException {
    Path a = write("a.txt", "hello", "this is text");

    assertThatThrownBy(() -> read(TextLogSettings.DEFAULT, a))
        .isInstanceOf(EventFileException.class)
        .hasMessageContaining("is a text of unknown form: none of its first 2 lines contain a time")
        .hasMessageContaining("formats --explain " + a);
  }

  @Test
  void partsOfDockersLines_areJoined() throws IOException {
    Path a =
        write(
            "c-json.log",
            "{\"log\":\"one \",\"stream\":\"stdout\",\"time\":\"2026-11-20T18:40:00Z\"}",
            "{\"log\":\"other\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-20T18:40:01Z\"}",
            "{\"log\":\"line\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-20T18:40:02Z\"}");

    read(TextLogSettings.DEFAULT, a);

    assertThat(read.events())
        .extracting(event -> body(event.body()))
        .containsExactlyInAnyOrder("one line", "other");
  }

  /** Each of the two streams has its own parts, which may be mixed. */
  @Test
  void partsOfKubernetesLines_areJoined() throws IOException {
    Path a =
        write(
            "0.log",
            "2026-11-20T18:40:00Z stdout P one ",
            "2026-11-20T18:40:01Z stderr P an ",
            "2026-11-20T18:40:02Z stdout P whole ",
            "2026-11-20T18:40:03Z stdout F line",
            "2026-11-20T18:40:04Z stderr F error",
            "2026-11-20T18:40:05Z stdout F short",
            "2026-11-20T18:40:06Z stdout P without end");

    read(TextLogSettings.DEFAULT, a);

    assertThat(events())
        .extracting(event -> event.substring(event.indexOf(' ') + 1))
        .containsExactly(
            "2026-11-20T18:40:00.0 one whole line",
            "2026-11-20T18:40:01.0 an error",
            "2026-11-20T18:40:05.0 short",
            "2026-11-20T18:40:06.0 without end");
  }

  /** A second is the least that is reported; what is late keeps its place. */
  @Test
  void timeGoingBack_isReportedWithItsPlace() throws IOException {
    Path a =
        write(
            "a.log",
            "2026-11-20 18:40:05.000 INFO first",
            "2026-11-20 18:40:04.000 INFO a second late",
            "2026-11-20 18:40:03.999 INFO later",
            "2026-11-20 18:40:06.000 INFO last");

    read(TextLogSettings.DEFAULT, a);

    assertThat(events())
        .containsExactly(
            "a 2026-11-20T18:40:05.0 first",
            "a 2026-11-20T18:40:05.1 a second late",
            "a 2026-11-20T18:40:05.2 later",
            "a 2026-11-20T18:40:06.0 last");
    assertThat(reasons())
        .contains(a + ":3: the time goes back by more than a second; lines keep their order");
  }

  @Test
  void hosts_areNodesIfThereAreSeveral() throws IOException {
    Path one = write("one.log", "{\"time\":1795200000,\"hostname\":\"h1\",\"msg\":\"a\"}");
    Path two =
        write(
            "two.log",
            "{\"time\":1795200000,\"hostname\":\"h1\",\"msg\":\"a\"}",
            "{\"time\":1795200001,\"hostname\":\"h2\",\"msg\":\"b\"}");

    read(TextLogSettings.DEFAULT, one, two);

    assertThat(read.events()).extracting(Event::node).containsExactlyInAnyOrder("one", "h1", "h2");
  }

  /** Without a line end, too. */
  @Test
  void json_thatIsNoKnownDocument_isRefused_andNoCutOffLine() throws IOException {
    for (String text :
        List.of(
            "[{\"a\":1}]", "{\"traceEvents\":[{\"name\":\"x\"}]}", "{\"resourceMetrics\":[]}")) {
      Path file = folder.resolve("a.json");
      Files.writeString(file, text);
      assertThatThrownBy(() -> read(TextLogSettings.DEFAULT, file))
          .as(text)
          .isInstanceOf(EventFileException.class)
          .hasMessageStartingWith(file + ":1: ");
    }
    Path cut = folder.resolve("b.ndjson");
    Files.writeString(cut, "{\"node\":\"a\",\"log\":\"l\",\"hlc\":1,\"set\":{\"x\":1}");
    read(TextLogSettings.DEFAULT, cut);
    assertThat(read.reasons()).hasSize(1);
  }
}
