// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The events of a live query as a client receives them, read by a thread of its own. */
final class StreamEvents implements AutoCloseable {
  /** An event without its times. */
  record Received(String type, String data) {}

  private final InputStream in;
  private final List<Received> events = new CopyOnWriteArrayList<>();
  private volatile String lastId = "";

  private StreamEvents(InputStream in) {
    this.in = in;
  }

  /** Opens a query, and waits for its first event, after which it can be resumed. */
  static StreamEvents open(HttpProbe http, String query, String lastEventId)
      throws IOException, InterruptedException {
    StreamEvents stream = new StreamEvents(http.stream(query, lastEventId));
    Thread reader = new Thread(stream::read, "stream-events");
    reader.setDaemon(true);
    reader.start();
    return stream;
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      String type = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) {
          type = line.substring(7);
        } else if (line.startsWith("id: ")) {
          lastId = line.substring(4);
        } else if (line.startsWith("data: ")) {
          events.add(new Received(type, LiveRows.withoutTimes(line.substring(6))));
        }
      }
    } catch (IOException e) {
      // The connection has ended.
    }
  }

  String lastId() {
    return lastId;
  }

  /** The data of all events of a type so far. */
  List<String> of(String type) {
    return events.stream().filter(event -> event.type().equals(type)).map(Received::data).toList();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
