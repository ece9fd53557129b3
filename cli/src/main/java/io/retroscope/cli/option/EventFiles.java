package io.retroscope.cli.option;

import io.retroscope.event.Event;
import io.retroscope.rql.client.EventCollector;
import io.retroscope.rql.client.EventFile;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Files of events that are combined, such as one from each node. */
public final class EventFiles {
  private static final Comparator<Event> BY_STAMP_AND_NODE =
      Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE);

  @Option(
      names = "--file",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Read events from files instead of a server; the events of several files are merged.")
  private List<Path> files = List.of();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  /** Whether a file was named on the command line. */
  public boolean given() {
    return !files.isEmpty();
  }

  /** The files' names, for messages. */
  public String names() {
    return String.join(", ", files.stream().map(Path::toString).toList());
  }

  /**
   * All their events, with aligned clocks. An event in several files is included once.
   *
   * @throws IOException if a file cannot be read
   * @throws io.retroscope.rql.client.ProblemException if one has other content
   */
  public EventSource read() throws IOException {
    EventCollector all = new EventCollector();
    for (Path file : files) {
      EventFile.read(file, all);
    }
    List<Event> distinct = distinct(all.events());
    return new InMemoryEventSource(
        distinct,
        new LinkedHashSet<>(all.gaps()),
        new LinkedHashSet<>(all.warnings()),
        ClockAlignment.of(distinct, clocks.settings()));
  }

  private static List<Event> distinct(List<Event> events) {
    events.sort(BY_STAMP_AND_NODE);
    List<Event> distinct = new ArrayList<>(events.size());
    for (Event event : events) {
      if (distinct.isEmpty() || !distinct.get(distinct.size() - 1).equals(event)) {
        distinct.add(event);
      }
    }
    return distinct;
  }
}
