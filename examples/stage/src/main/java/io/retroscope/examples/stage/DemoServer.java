// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.event.Event;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A demonstration's log server, which runs in this process. Thread-safe. */
public final class DemoServer implements AutoCloseable {
  /**
   * Longer than any fault, and than a busy machine leaves a node without a processor: a node that
   * is excluded from a live cut as silent is in the past one.
   */
  static final Duration IDLE_TIMEOUT = Duration.ofSeconds(30);

  private final LogServer server;

  private DemoServer(LogServer server) {
    this.server = server;
  }

  /**
   * Starts a log server.
   *
   * @param port 0 for a free one
   * @param broker whose topic it reads, if any
   */
  public static DemoServer start(Path dataFolder, int port, Optional<BrokerProcess> broker)
      throws StageException {
    return start(ServerConfig.in(dataFolder).port(port).idleTimeout(IDLE_TIMEOUT), broker);
  }

  /** Starts a log server with these settings. */
  public static DemoServer start(ServerConfig.Builder config, Optional<BrokerProcess> broker)
      throws StageException {
    broker.ifPresent(
        kafka ->
            config.kafka(
                KafkaOptions.of(
                    Map.of("bootstrap.servers", kafka.address()), BrokerProcess.TOPIC)));
    try {
      return new DemoServer(LogServer.start(config.build()));
    } catch (ServerException e) {
      throw new StageException("the log server does not start: " + e.getMessage(), e);
    }
  }

  /** Its address. */
  public URI uri() {
    return server.uri();
  }

  /** Runs a query on the stored events, like any client. */
  public List<Match> run(String query) throws StageException, IOException {
    Rows rows = new Rows();
    try (RqlClient client = new RqlClient(uri())) {
      client.run(query, rows);
    } catch (RqlException | ProblemException e) {
      throw new StageException("the log server refuses \"" + query + "\": " + e.getMessage(), e);
    }
    return rows.matches;
  }

  /** The number of events of each node, in natural order of the nodes. */
  public List<Catalog.NodeDescription> nodes() {
    try (EventSource.View view = server.events().open()) {
      return view.nodes();
    }
  }

  /** The estimates of the nodes' clocks. */
  public List<NodeAlignment> alignment() {
    try (EventSource.View view = server.events().open()) {
      return view.clockOffsets().alignment();
    }
  }

  /** The node to whose clock the others' offsets are relative. */
  public Optional<String> driverNode() {
    try (EventSource.View view = server.events().open()) {
      return view.clockOffsets().referenceNode();
    }
  }

  /** All events of a log, in the order of their stamps. */
  public List<Event> events(String log) {
    List<Event> events = new ArrayList<>();
    try (EventSource.View view = server.events().open()) {
      view.extent()
          .ifPresent(extent -> view.scan(Set.of(log), extent).forEachRemaining(events::add));
    }
    return events;
  }

  /** Writes all events as NDJSON, in the order of their stamps. */
  public void export(Path file) throws IOException {
    try (EventSource.View view = server.events().open();
        BufferedWriter out = Files.newBufferedWriter(file)) {
      Optional<HlcRange> extent = view.extent();
      if (extent.isEmpty()) {
        return;
      }
      Set<String> logs = new TreeSet<>();
      view.logs().forEach(log -> logs.add(log.name()));
      NdjsonWriter writer = new NdjsonWriter(out);
      for (Iterator<Event> events = view.scan(logs, extent.get()); events.hasNext(); ) {
        writer.event(events.next());
      }
    }
  }

  @Override
  public void close() {
    server.close();
  }

  private static final class Rows implements RowSink {
    private final List<Match> matches = new ArrayList<>();
    private List<Column> columns = List.of();

    @Override
    public void columns(List<Column> newColumns) {
      columns = newColumns;
    }

    @Override
    public boolean row(Row row) {
      return matches.add(Match.of(columns, row));
    }

    @Override
    public void warning(String message) {
      // The live query has already reported the failure.
    }
  }
}
